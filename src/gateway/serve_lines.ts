// A connection over lines of bytes: stdin and stdout, or any such pair.

import { type ByteSink, type ByteSource, LineWriter, readLines } from "../transport/lines.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { Gateway } from "./gateway.ts";
import { settlesWithin } from "./limits.ts";

/** The two ends of the connection, and when to stop. */
export interface ServeLinesOptions extends ConnectionOptions {
  readonly input: ByteSource;
  readonly output: ByteSink;
  /** Stops taking messages; what is under way may finish within the grace period. */
  readonly signal: AbortSignal;
}

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
  using connection = new Connection(gateway, writer, options);
  const stop = Promise.withResolvers<"stopped">();
  connection.exited.then(() => stop.resolve("stopped"));
  if (options.signal.aborted) stop.resolve("stopped");
  options.signal.addEventListener("abort", () => stop.resolve("stopped"), { once: true });
  const groups = readLines(options.input, { maxBytes: maxLineBytes });
  const end = await Promise.race([
    stop.promise,
    writer.broken.then(() => "client gone"),
    receive(gateway, connection, writer, groups),
  ]);
  await connection.drain({ clientGone: end === "client gone" });
  await settlesWithin(writer.flush(), FLUSH_MS);
}

async function receive(
  gateway: Gateway,
  connection: Connection,
  writer: LineWriter,
  groups: ReturnType<typeof readLines>,
): Promise<"client gone"> {
  for await (const lines of groups) {
    for (const line of lines) {
      connection.receive(line);
      // A client that does not read is not read from either, so that what waits for it stays bounded.
      const ready = writer.ready() ?? gateway.loading;
      if (ready !== undefined) await ready;
      // Quick calls end within this turn of the event loop; letting them spares the queue and its memory.
      for (let steps = 0; gateway.isBusy && steps < QUICK_STEPS; steps++) await undefined;
    }
    if (writer.failed) break;
    // Quick answers leave before more is read: reading wakes a thread, and they would wait for that.
    for (let steps = 0; connection.inFlight > 0 && steps < QUICK_STEPS; steps++) await undefined;
    await undefined;
  }
  return "client gone";
}
