// Requests as bytes, well-formed and broken.

import type { RequestHead } from "../../src/transport/http_head.ts";
import type { Dice } from "./dice.ts";

/** A head of few words. */
export const HEAD: RequestHead = {
  kind: "head",
  method: "GET",
  path: "/",
  query: "",
  headers: new Map(),
  peer: "192.0.2.1",
  isHttp10: false,
  isLast: false,
  bodyLength: 0,
  isWaiting: false,
};

/** Well-formed requests of every framing, one character a byte. */
export const SAMPLES: readonly string[] = [
  "GET /healthz?verbose HTTP/1.1\r\nHost: localhost\r\n\r\n",
  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
  'Content-Length: 14\r\n\r\n{"id":"\xc3\xa9\xe2\x82\xac"}',
  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" +
  '4\r\n{"id\r\nA;name="value"\r\n":"\xc3\xa9\xe2\x82\xac"}\r\n0\r\n\r\n',
  "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTrailer: a\r\n\r\n" +
  "00a\r\n0123456789\r\n000\r\nA: b\r\nC:\r\n\r\n",
  "DELETE http://127.0.0.1:8808/mcp HTTP/1.1\r\nhost: [::1]:8808\r\nmcp-session-id:abc\r\n" +
  "X-Odd: \xff\t\xe9 \r\n\r\n",
  "OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
];

/** What breaks parsers: line ends, separators, framing, controls. */
const SPLICES = [
  "\r",
  "\n",
  "\r\n",
  "\r\n\r\n",
  "\0",
  " ",
  "\t",
  ":",
  ";",
  ",",
  "0\r\n\r\n",
  "\r\n ",
  "\xff",
  "\x7f",
  "Content-Length: 3\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Host: b\r\n",
  "Expect: 100-continue\r\n",
  "Connection: close\r\n",
  "HTTP/1.1",
  "HTTP/1.0",
  "GET / HTTP/1.1\r\n",
  "99999999999",
  "-1",
  "x".repeat(600),
];

/** The bytes of a text of one character a byte. */
export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** A few changes at random places: bytes flipped, cut out, doubled, put in. */
export function mutate(bytes: Uint8Array, dice: Dice): Uint8Array<ArrayBuffer> {
  let text = String.fromCharCode(...bytes);
  for (let change = 1 + dice.below(4); change > 0; change--) {
    const at = dice.below(text.length + 1);
    const length = 1 + dice.below(dice.isOneIn(4) ? 40 : 3);
    const [before, piece, after] = [
      text.slice(0, at),
      text.slice(at, at + length),
      text.slice(at + length),
    ];
    switch (dice.below(5)) {
      case 0:
        text = before + String.fromCharCode(dice.below(256)) + piece.slice(1) + after;
        break;
      case 1:
        text = before + after;
        break;
      case 2:
        text = before + piece + piece + after;
        break;
      case 3:
        text = before + dice.pick(SPLICES) + piece + after;
        break;
      default:
        text = dice.isOneIn(6) ? before : before + dice.pick(SPLICES) + after;
    }
  }
  return toBytes(text);
}
