// Where bytes come from and go, as `Deno.stdin` and `Deno.stdout` offer it. Their Web Streams do the same work but cost
// 7 ms of every start before the first byte moves.

/** Where bytes come from. */
export interface ByteSource {
  /** Fills part of the buffer; `null` at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
}

/** Where bytes go. */
export interface ByteSink {
  /** Takes part of the bytes and tells how many. */
  write(bytes: Uint8Array): Promise<number>;
}
