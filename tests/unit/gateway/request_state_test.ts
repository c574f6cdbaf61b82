// The state that a client carries for us: unforgeable, bound to its request, and mortal.

import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { RequestStates, type StateBinding } from "../../../src/gateway/request_state.ts";
import { type JsonValue, RpcError } from "../../../src/jsonrpc/message.ts";

const BINDING = {
  method: "tools/call",
  params: { name: "a", arguments: { x: 1, y: [2] } },
  owner: "ada",
};
const ANSWERS = { who: { action: "accept", content: { name: "n" } } };
const STRANGE = "is not one given for this request";

async function assertRefused(
  states: RequestStates,
  state: JsonValue,
  message = STRANGE,
  other: Partial<StateBinding> = {},
): Promise<void> {
  const binding = { ...BINDING, ...other };
  const error = await assertRejects(() => states.open(state, binding), RpcError, message);
  assertEquals(error.code, -32602);
}

Deno.test("RequestStates.open() refuses what is no state", async () => {
  const states = new RequestStates(1000);
  const JUNK = [
    null,
    1,
    {},
    [],
    "",
    ".",
    "a.b",
    "a",
    "..",
    "%%.%%",
    "e30.",
    ".e30",
    "\u0000.\u0000",
  ];
  for (const junk of JUNK) await assertRefused(states, junk);
});

Deno.test("RequestStates.open() refuses a state with any bit changed", async () => {
  const states = new RequestStates(1000);
  const state = await states.seal(ANSWERS, BINDING);
  for (let index = 0; index < state.length; index++) {
    const code = state.charCodeAt(index);
    // One bit of each character, in turn; all stay within ASCII.
    const changed = String.fromCharCode(code ^ (1 << (index % 7)));
    await assertRefused(states, state.slice(0, index) + changed + state.slice(index + 1));
  }
});

Deno.test("RequestStates.open() refuses a state with any bit of its bytes flipped", async () => {
  const states = new RequestStates(1000);
  const [payload = "", signature = ""] = (await states.seal(ANSWERS, BINDING)).split(".");
  const spell = { alphabet: "base64url", omitPadding: true } as const;
  for (const part of ["payload", "signature"] as const) {
    const text = part === "payload" ? payload : signature;
    const size = Uint8Array.fromBase64(text, spell).length;
    for (let index = 0; index < size; index++) {
      const bytes = Uint8Array.fromBase64(text, spell);
      bytes.set([(bytes[index] ?? 0) ^ (1 << (index % 8))], index);
      const changed = bytes.toBase64(spell);
      const state = part === "payload" ? `${changed}.${signature}` : `${payload}.${changed}`;
      await assertRefused(states, state);
    }
  }
});

Deno.test("RequestStates.open() refuses a state that was cut, stretched or spelt otherwise", async () => {
  const states = new RequestStates(1000);
  const state = await states.seal(ANSWERS, BINDING);
  const [payload, signature] = state.split(".");
  const SPELLINGS = [
    state.slice(0, -1),
    state.slice(1),
    `${state}A`,
    `${state}=`,
    `${state}.`,
    `${state}.${signature}`,
    ` ${state}`,
    `${state}\n`,
    `${signature}.${payload}`,
    `${payload}.${payload}`,
  ];
  for (const spelling of SPELLINGS) await assertRefused(states, spelling);
});

Deno.test("RequestStates.open() refuses a state of another process", async () => {
  const state = await new RequestStates(1000).seal(ANSWERS, BINDING);
  await assertRefused(new RequestStates(1000), state);
});

Deno.test("RequestStates.open() refuses a state of another request or owner", async () => {
  const states = new RequestStates(1000);
  const state = await states.seal(ANSWERS, BINDING);
  const { params } = BINDING;
  const OTHERS = [
    { method: "prompts/get" },
    { owner: "" },
    { owner: "ada\n" },
    { owner: "eve" },
    { params: { ...params, name: "b" } },
    { params: { ...params, arguments: { x: 1, y: [2, 2] } } },
    { params: { ...params, arguments: { x: "1", y: [2] } } },
    { params: { name: "a" } },
    { params: { ...params, more: 1 } },
  ];
  for (const other of OTHERS) await assertRefused(states, state, STRANGE, other);
});

Deno.test("RequestStates.open() refuses a state after its time", async () => {
  const clock = { now: 1_000_000 };
  const states = new RequestStates(500, { now: () => clock.now });
  const state = await states.seal(ANSWERS, BINDING);
  clock.now += 500;
  assertEquals(await states.open(state, BINDING), ANSWERS);
  clock.now += 1;
  await assertRefused(states, state, "has expired; send the request again without it");
});

Deno.test("RequestStates.open() finds the answers again, whatever differs between rounds", async () => {
  const states = new RequestStates(1000);
  const state = await states.seal(ANSWERS, BINDING);
  const ROUNDS = [
    BINDING.params,
    { arguments: { y: [2], x: 1 }, name: "a" },
    { ...BINDING.params, _meta: { progressToken: 2 } },
    { ...BINDING.params, inputResponses: { who: {} }, requestState: state },
    { ...BINDING.params, absent: undefined },
  ];
  for (const params of ROUNDS) {
    assertEquals(await states.open(state, { ...BINDING, params }), ANSWERS);
  }
});

Deno.test("RequestStates.seal() makes every state differ", async () => {
  const states = new RequestStates(1000);
  assertNotEquals(await states.seal(ANSWERS, BINDING), await states.seal(ANSWERS, BINDING));
});
