// Ten thousand random and mutated lines: the server never crashes, never hangs, and answers each with at most one line,
// which the official schemas allow where they are at hand.

import { assert, assertEquals } from "@std/assert";
import { getOracle } from "../harness/oracle.ts";
import { LiveServer } from "./live_server.ts";
import { Dice } from "../harness/dice.ts";
import { createLine } from "./mutation.ts";
import type { Message } from "./wire_check.ts";

const SEED = 20_261_116;
const LINES = 10_000;
const LINES_A_WRITE = 250;

Deno.test(`${LINES} random and mutated lines of seed ${SEED} get one valid answer each at most`, async () => {
  const oracle = await getOracle();
  const dice = new Dice(SEED);
  const lines = Array.from({ length: LINES }, (_, index) => createLine(dice, `line ${index}`));
  await using server = new LiveServer();
  await server.initialize();
  for (let start = 0; start < LINES; start += LINES_A_WRITE) {
    await server.send(lines.slice(start, start + LINES_A_WRITE).join("\n"));
  }
  await server.ping("still there");
  await server.closeInput();
  assertEquals(await server.ended(), { code: 0, signal: null });
  const answers = server.lines.slice(1).map((line): Message => JSON.parse(line))
    .filter(({ method, id }) => method === undefined && id !== "still there");
  const methods = groupMethods(lines);
  const counts = new Map<unknown, number>();
  for (const answer of answers) {
    counts.set(answer.id, (counts.get(answer.id) ?? 0) + 1);
    const asked = methods.get(answer.id) ?? [];
    if (answer.result !== undefined) assert(asked.length > 0, `"${answer.id}" was not asked`);
    // Where mutations gave two lines one id, it is not known which of them is answered.
    if (asked.length > 1) continue;
    oracle.check(answer, { revision: revisionOf(answer), answers: asked[0] });
  }
  for (const [id, count] of counts) {
    if (id === undefined) assert(count <= LINES);
    else assert(count <= (methods.get(id)?.length ?? 0), `${count} answers to "${id}"`);
  }
  assert(answers.length > LINES / 2, `Only ${answers.length} answers: the lines are too tame`);
  assert(answers.filter(({ result }) => result !== undefined).length > LINES / 20, "Too wild");
});

/** The methods of the requests by their ids, each as often as it was sent. */
function groupMethods(lines: readonly string[]): ReadonlyMap<unknown, readonly string[]> {
  const methods = new Map<unknown, string[]>();
  for (const line of lines) {
    const { id, method } = parseLeniently(line);
    if (id !== undefined) {
      methods.set(id, [...methods.get(id) ?? [], typeof method === "string" ? method : ""]);
    }
  }
  return methods;
}

function parseLeniently(line: string): { readonly id?: unknown; readonly method?: unknown } {
  try {
    return JSON.parse(line.replace(/^\ufeff/, "")) ?? {};
  } catch {
    return {};
  }
}

/** Answers of the stateless wire name the server or one of its own errors. */
function revisionOf(answer: Message): "2025-11-25" | "2026-07-28" {
  const text = JSON.stringify(answer);
  return /serverInfo|"code":-3202\d/.test(text) ? "2026-07-28" : "2025-11-25";
}
