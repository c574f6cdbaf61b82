// A connection over lines of bytes: stdin and stdout, or any pair of byte streams.

import { readLines } from "../transport/line_reader.ts";
import { LineWriter } from "../transport/line_writer.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { Gateway } from "./gateway.ts";
import { settlesWithin } from "./race.ts";

/** The streams, and when to stop. */
export interface ServeLinesOptions extends ConnectionOptions {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Stops taking messages; what is under way may finish within the grace period. */
  readonly signal: AbortSignal;
}

/** How long a client may take to read the last answers. */
const FLUSH_MS = 1000;

/** Serves until the input ends, the client leaves, or the signal aborts. Everything it started has ended then. */
export async function serveLines(gateway: Gateway, options: ServeLinesOptions): Promise<void> {
  const { maxBacklogLength, maxLineBytes } = gateway.limits;
  const writer = new LineWriter(options.output, { highWaterMark: maxBacklogLength });
  using connection = new Connection(gateway, writer, options);
  const exited = new AbortController();
  connection.exited.then(() => exited.abort());
  const stop = AbortSignal.any([options.signal, exited.signal]);
  stop.addEventListener("abort", () => writer.wake(), { once: true });
  for await (const lines of readLines(options.input, { maxBytes: maxLineBytes, signal: stop })) {
    for (const line of lines) {
      connection.receive(line);
      // A client that does not read is not read from either, so that what waits for it stays bounded.
      const ready = writer.ready() ?? gateway.validator.loading ?? gateway.slots.relief();
      if (ready !== undefined) await ready;
      if (stop.aborted) break;
    }
    if (stop.aborted || writer.failed) break;
  }
  await connection.drain({ clientGone: !stop.aborted || writer.failed });
  await settlesWithin(writer.flush(), FLUSH_MS);
}
