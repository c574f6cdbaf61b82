// Answers that wait for clients who do not read them, all connections together: each has its bound, and many of them
// would still be more than the memory. Only decides.

/** A connection with an answer under way. */
export interface Backlogged {
  readonly writer: { readonly backlog: number };
  /** When its client last took something. */
  readonly writeSince: number;
  /** Closes it. */
  cut(): void;
}

/** The bounds of what waits. */
export interface BacklogsOptions {
  readonly least: number;
  readonly most: number;
  /** Whether a client that has taken nothing since then does not read. */
  readonly hasStalled: (since: number) => boolean;
}

/** How many times the bound may wait for a moment, as when many are told of the same at once. */
const MOST_AT_ONCE = 2;

/** The connections on which much waits. */
export class Backlogs {
  readonly #laden = new Set<Backlogged>();
  readonly #least: number;
  readonly #most: number;
  readonly #hasStalled: (since: number) => boolean;

  /** Looks at connections on which more than `least` waits, and bounds all of that by `most`, in UTF-16 units. */
  constructor({ least, most, hasStalled }: BacklogsOptions) {
    this.#least = least;
    this.#most = most;
    this.#hasStalled = hasStalled;
  }

  /** Something was queued. Where too much waits, the clients that have taken nothing for longest lose their connections. */
  note(connection: Backlogged): void {
    if (connection.writer.backlog <= this.#least) return;
    this.#laden.add(connection);
    for (let sum = this.#sum(); sum > this.#most; sum = this.#sum()) {
      const idlest = this.#findIdlest(connection);
      if (idlest === undefined) return;
      // Who has just been told much had no time to read it.
      if (sum <= MOST_AT_ONCE * this.#most && !this.#hasStalled(idlest.writeSince)) return;
      if (this.#isIdler(connection, idlest)) {
        // It is being sent something, and must not vanish meanwhile.
        queueMicrotask(() => connection.cut());
        return;
      }
      this.#laden.delete(idlest);
      idlest.cut();
    }
  }

  /** The connection is closed. */
  forget(connection: Backlogged): void {
    this.#laden.delete(connection);
  }

  #sum(): number {
    let sum = 0;
    for (const connection of this.#laden) {
      const { backlog } = connection.writer;
      if (backlog > this.#least) sum += backlog;
      else this.#laden.delete(connection);
    }
    return sum;
  }

  #isIdler({ writeSince }: Backlogged, other: Backlogged): boolean {
    return writeSince < other.writeSince && this.#hasStalled(writeSince);
  }

  #findIdlest(except: Backlogged): Backlogged | undefined {
    let idlest: Backlogged | undefined;
    for (const connection of this.#laden) {
      if (connection === except || connection.writeSince >= (idlest?.writeSince ?? Infinity)) {
        continue;
      }
      idlest = connection;
    }
    return idlest;
  }
}
