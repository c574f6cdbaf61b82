// The floor: answers the benchmark's own lines byte by byte, one write a chunk, without parsing
// JSON. No MCP server: it shows what the pipes and the load generator can carry at most.

const LINE_FEED = 10;
const COMMA = 44;
const LETTER_I = 105;
const LETTER_P = 112;
const LETTER_T = 116;

/** Every request of the load begins with these bytes; the id follows. */
const ID_AT = '{"jsonrpc":"2.0","id":'.length;
/** From the comma after the id to the first letter of the method. */
const METHOD_AT = ',"method":"'.length;
/** From the comma after the id to the message of an echo call, its quote included. */
const MESSAGE_AT = ',"method":"tools/call","params":{"name":"echo","arguments":{"message":'.length;
/** What closes an echo call after the message. */
const CALL_END = "}}}".length;

const encoder = new TextEncoder();
const HEAD = encoder.encode('{"jsonrpc":"2.0","id":');
const PING_TAIL = encoder.encode(',"result":{}}\n');
const ECHO_MIDDLE = encoder.encode(',"result":{"content":[{"type":"text","text":');
const ECHO_TAIL = encoder.encode("}]}}\n");
const INITIALIZE_TAIL = encoder.encode(
  ',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},' +
    '"serverInfo":{"name":"byte-floor","version":"1.0.0"}}}\n',
);

/** What a Linux pipe holds. */
const READ_BYTES = 65_536;
/** One read after the unfinished line of the read before; the load has no line longer than one. */
const input = new Uint8Array(READ_BYTES * 2);
/** No reply is longer than twice its request. */
const replies = new Uint8Array(input.length * 2);
let kept = 0;

for (;;) {
  const count = await Deno.stdin.read(input.subarray(kept, kept + READ_BYTES));
  if (count === null) break;
  const filled = input.subarray(0, kept + count);
  const [used, length] = answer(filled);
  input.copyWithin(0, used, filled.length);
  kept = filled.length - used;
  for (let sent = 0; sent < length;) {
    sent += await Deno.stdout.write(replies.subarray(sent, length));
  }
}

function answer(lines: Uint8Array): [used: number, length: number] {
  let start = 0;
  let length = 0;
  for (let end = lines.indexOf(LINE_FEED); end !== -1; end = lines.indexOf(LINE_FEED, start)) {
    const comma = lines.indexOf(COMMA, start + ID_AT);
    const method = lines[comma + METHOD_AT];
    if (method === LETTER_P || method === LETTER_T || method === LETTER_I) {
      length = put(HEAD, length);
      length = put(lines.subarray(start + ID_AT, comma), length);
      if (method === LETTER_P) length = put(PING_TAIL, length);
      else if (method === LETTER_I) length = put(INITIALIZE_TAIL, length);
      else {
        length = put(ECHO_MIDDLE, length);
        length = put(lines.subarray(comma + MESSAGE_AT, end - CALL_END), length);
        length = put(ECHO_TAIL, length);
      }
    }
    start = end + 1;
  }
  return [start, length];
}

function put(bytes: Uint8Array, at: number): number {
  replies.set(bytes, at);
  return at + bytes.length;
}
