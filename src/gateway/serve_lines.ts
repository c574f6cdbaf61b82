// A connection over lines of bytes: stdin and stdout, or any such pair.

import type { ByteSink, ByteSource } from "../transport/bytes.ts";
import { type LineFault, LineWriter, readLines } from "../transport/lines.ts";
import type { Connection, ConnectionOptions } from "./connection.ts";
import type { Gateway } from "./gateway.ts";
import { answerGreeting } from "./greeting.ts";
import { settlesWithin } from "./limits.ts";

/** The two ends of the connection, and when to stop. */
export interface ServeLinesOptions extends ConnectionOptions {
  readonly input: ByteSource;
  readonly output: ByteSink;
  /** Stops taking messages; what is under way may finish within the grace period. */
  readonly signal: AbortSignal;
}

/** Lines that arrived together. */
type Group = readonly (string | LineFault)[];

/** Why nothing more is taken. */
type End = "stopped" | "client gone";

/** How long a client may take to read the last answers. */
const FLUSH_MS = 1000;

/** Microtasks that a call without any waiting of its own needs, generously. */
const QUICK_STEPS = 24;

/**
 * Serves until the input ends, the client leaves, or the signal aborts. Everything it started has ended then; only a
 * read of the input that cannot be taken back may still wait.
 */
export async function serveLines(gateway: Gateway, options: ServeLinesOptions): Promise<void> {
  const { maxBacklogLength, maxLineBytes } = gateway.limits;
  const writer = new LineWriter(options.output, { highWaterMark: maxBacklogLength });
  const stop = Promise.withResolvers<End>();
  writer.broken.then(() => stop.resolve("client gone"));
  if (options.signal.aborted) stop.resolve("stopped");
  options.signal.addEventListener("abort", () => stop.resolve("stopped"), { once: true });
  const groups = readLines(options.input, { maxBytes: maxLineBytes });
  const first = await Promise.race([stop.promise, groups.next()]);
  if (typeof first === "object" && first.done !== true) {
    await serveClient(gateway, { options, writer, first: first.value, groups, stop });
  }
  await settlesWithin(writer.flush(), FLUSH_MS);
}

/** A client that has said something. */
interface Client {
  readonly options: ConnectionOptions;
  readonly writer: LineWriter;
  readonly first: Group;
  readonly groups: AsyncIterator<Group>;
  readonly stop: PromiseWithResolvers<End>;
}

async function serveClient(gateway: Gateway, client: Client): Promise<void> {
  const { options, writer, first, groups, stop } = client;
  const [line] = first;
  const greeting = typeof line === "string" ? answerGreeting(gateway, line) : undefined;
  if (greeting !== undefined) writer.send(greeting.answer);
  const { Connection } = await import("./connection.ts");
  using connection = new Connection(gateway, writer, options);
  if (greeting !== undefined) connection.restore(greeting.state);
  connection.exited.then(() => stop.resolve("stopped"));
  const rest = greeting === undefined ? first : first.slice(1);
  const received = receive(gateway, connection, { writer, first: rest, groups });
  const end = await Promise.race([stop.promise, received]);
  await connection.drain({ clientGone: end === "client gone" });
}

async function receive(
  gateway: Gateway,
  connection: Connection,
  { writer, first, groups }: Pick<Client, "writer" | "first" | "groups">,
): Promise<End> {
  let lines = first;
  while (true) {
    for (const line of lines) {
      connection.receive(line);
      // A client that does not read is not read from either, so that what waits for it stays bounded.
      const ready = writer.ready() ?? gateway.loading;
      if (ready !== undefined) await ready;
      // Quick calls end within this turn of the event loop; letting them spares the queue and its memory.
      for (let steps = 0; gateway.isBusy && steps < QUICK_STEPS; steps++) await undefined;
    }
    if (writer.failed) return "client gone";
    // Quick answers leave before more is read: reading wakes a thread, and they would wait for that.
    for (let steps = 0; connection.inFlight > 0 && steps < QUICK_STEPS; steps++) await undefined;
    await undefined;
    const next = await groups.next();
    if (next.done === true) return "client gone";
    lines = next.value;
  }
}
