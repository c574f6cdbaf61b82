// Who has to make way where there is no room for all. Only decides.

/** What is looked at of a connection. */
export interface Evictable {
  /** When, among all, it began to wait for its client; `undefined` when it owes an answer. */
  readonly waitsSince: number | undefined;
  /** Since when it has memory for a body; `undefined` when it has none. */
  readonly bodySince: number | undefined;
  /** Whether it is the one that asks for room. */
  readonly isStepping: boolean;
}

/** The connection that has been waiting for its client the longest. */
export function findIdlest<Connection extends Pick<Evictable, "waitsSince">>(
  connections: Iterable<Connection>,
): Connection | undefined {
  return findFirst(connections, ({ waitsSince }) => waitsSince);
}

/**
 * The connection whose body has taken longest, if that is too long. None when that is the one which asks: to spare it
 * at the cost of a faster one would let slow bodies push out all others.
 */
export function findSlowest<Connection extends Omit<Evictable, "waitsSince">>(
  connections: Iterable<Connection>,
  isTooLong: (since: number) => boolean,
): Connection | undefined {
  const slowest = findFirst(connections, ({ bodySince }) => bodySince);
  const since = slowest?.bodySince;
  return since === undefined || !isTooLong(since) || slowest?.isStepping === true
    ? undefined
    : slowest;
}

/** The one that began first. */
function findFirst<Connection>(
  connections: Iterable<Connection>,
  sinceOf: (connection: Connection) => number | undefined,
): Connection | undefined {
  let first: Connection | undefined;
  let least = Infinity;
  for (const connection of connections) {
    const since = sinceOf(connection);
    if (since === undefined || since >= least) continue;
    first = connection;
    least = since;
  }
  return first;
}
