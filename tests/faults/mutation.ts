// Random and mutated lines from a seed, so that a failure can be repeated.

import type { Dice } from "../harness/dice.ts";

const STATELESS_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const URI = "nuisance://watched";

/** Parameters that each method takes, as a start for mutations. */
const PARAMETERS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "h", version: "1" },
  },
  ping: {},
  "tools/list": { limit: 2 },
  "tools/call": { name: "echo", arguments: { text: "hello" } },
  "resources/list": {},
  "resources/templates/list": {},
  "resources/read": { uri: URI },
  "resources/subscribe": { uri: URI },
  "resources/unsubscribe": { uri: URI },
  "prompts/list": {},
  "prompts/get": { name: "x", arguments: { a: "b" } },
  "completion/complete": {
    ref: { type: "ref/prompt", name: "x" },
    argument: { name: "a", value: "b" },
  },
  "logging/setLevel": { level: "debug" },
  "server/discover": {},
  "notifications/cancelled": { requestId: 1, reason: "none" },
  "notifications/initialized": {},
  "notifications/unknown": {},
};

/** Values that are put where others were expected. */
const ODD_VALUES: readonly [string, ...string[]] = [
  "null",
  "true",
  "-1",
  "1e400",
  "1.5",
  '""',
  '"\\ud800"',
  "[]",
  "{}",
  '{"__proto__":{"a":1}}',
  '{"toString":null,"constructor":1,"hasOwnProperty":[]}',
  "[[[[[[1]]]]]]",
  `"${"x".repeat(3000)}"`,
];

const NOISE: readonly [string, ...string[]] = [
  '"',
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "\\",
  "\\u0000",
  "\ufeff",
  "\r",
  "\t",
  "é",
  "𝄞",
  "0",
  "e",
];

/** One line, never with a line feed in it: a message that is right, changed, odd in a place, or plain noise. */
export function createLine(dice: Dice, id: string): string {
  const text = createMessage(dice, id);
  switch (dice.below(5)) {
    case 0:
      return text;
    case 1:
      return mutate(dice, text);
    case 2:
      return mutate(dice, mutate(dice, mutate(dice, text)));
    case 3:
      return putOddValue(dice, text);
    default:
      return createNoise(dice);
  }
}

function createMessage(dice: Dice, id: string): string {
  const [first = "ping", ...others] = Object.keys(PARAMETERS);
  const method = dice.pick([first, ...others]);
  const given = PARAMETERS[method] ?? {};
  const params = dice.below(3) === 0 ? { ...given, _meta: STATELESS_META } : given;
  const head = method.startsWith("notifications/") ? {} : { id };
  const message = { jsonrpc: "2.0", ...head, method, params };
  return JSON.stringify(dice.below(20) === 0 ? [message] : message);
}

/** Deletes, doubles, swaps or inserts somewhere. */
function mutate(dice: Dice, text: string): string {
  const start = dice.below(text.length + 1);
  const end = Math.min(text.length, start + 1 + dice.below(12));
  const [before, middle, after] = [text.slice(0, start), text.slice(start, end), text.slice(end)];
  switch (dice.below(4)) {
    case 0:
      return before + after;
    case 1:
      return before + middle + middle + after;
    case 2:
      return before + dice.pick(NOISE) + after;
    default:
      return before + [...middle].reverse().join("") + after;
  }
}

/** Puts an odd value where a value of a member stood. */
function putOddValue(dice: Dice, text: string): string {
  const places = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|\d+|\{[^{}]*\}|\[[^[\]]*\])/g)];
  const place = places[dice.below(places.length)];
  if (place === undefined) return text;
  const start = place.index + 1;
  const length = place[1]?.length ?? 0;
  return text.slice(0, start) + dice.pick(ODD_VALUES) + text.slice(start + length);
}

function createNoise(dice: Dice): string {
  const length = dice.below(60);
  let noise = "";
  for (let index = 0; index < length; index++) noise += dice.pick(NOISE);
  return noise;
}
