// The terminal. Only this folder writes to it; stdout belongs to the protocol while a server runs.

const ENCODER = new TextEncoder();

/** Writes text to stdout. */
export function print(text: string): void {
  writeAll(Deno.stdout, text);
}

/** Writes text to stderr. */
export function printError(text: string): void {
  writeAll(Deno.stderr, text);
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = ENCODER.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
}
