// Seeded mutations of a complete manifest: the parser accepts nothing that the published schema refuses, and throws
// nothing but its own error.

import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/jsonc";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parseManifest } from "../../../src/permission/manifest_parse.ts";
import { ManifestSyntaxError } from "../../../src/permission/manifest_syntax_error.ts";

const SEED = 20_260_728;
const MUTATIONS = 10_000;

const full = await Deno.readTextFile(
  new URL("../../../fixtures/manifests/full.jsonc", import.meta.url),
);
const schema = JSON.parse(
  await Deno.readTextFile(new URL("../../../permissions/schema.json", import.meta.url)),
);
const isValid = new Ajv2020({ strict: false }).compile(schema);

const WORDS = [
  "",
  "/",
  "*",
  "~",
  "..",
  "${roots}",
  "${tmp}/x",
  "${home}",
  "/etc",
  "/srv/x",
  "a",
  "-",
  "--x",
  "all",
  "off",
  "auto",
  "native",
  "deno",
  "npm:x@1.0.0",
  "npm:x",
  "LD_PRELOAD",
  "PATH",
  "A_B",
  "127.0.0.1",
  "0x7f.1",
  "[::1]",
  "a.example:443",
  "a.example:0",
  "*.example",
  ".vscode",
  "git",
  "sh -c",
  "\u0000",
  "/a\n",
  "path",
  "text",
  "choice",
  "uid",
  "__proto__",
  "constructor",
  "/a/../b",
  "/home/me",
  "xn--a.example",
  "A.example",
  "/a,b",
  "/srv/${tmp}",
];
const KEYS = [
  "mode",
  "command",
  "read",
  "write",
  "net",
  "env",
  "kind",
  "limits",
  "deny",
  "x",
  "__proto__",
  "rest",
];

/** mulberry32: small, seeded, the same everywhere. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function pick<T>(values: readonly T[], random: (below: number) => number): T {
  const value = values[random(values.length)];
  assert(value !== undefined);
  return value;
}

function createValue(random: (below: number) => number): unknown {
  const values = [null, true, 0, 1, -1, 0.5, 1e9, 1e300, [], {}, [pick(WORDS, random)], {
    kind: "path",
  }];
  return random(2) === 0 ? pick(WORDS, random) : values[random(values.length)];
}

/** Changes one place of a document. */
function mutate(node: unknown, random: (below: number) => number): unknown {
  if (random(6) === 0 || typeof node !== "object" || node === null) return createValue(random);
  if (Array.isArray(node)) {
    const copy = [...node];
    if (copy.length === 0 || random(3) === 0) copy.push(createValue(random));
    else {
      const index = random(copy.length);
      copy[index] = mutate(copy[index], random);
    }
    return copy;
  }
  const entries = Object.entries(node);
  const index = random(entries.length + 1);
  const entry = entries[index];
  if (entry === undefined) entries.push([pick(KEYS, random), createValue(random)]);
  else if (random(8) === 0) entries.splice(index, 1);
  else entries[index] = [entry[0], mutate(entry[1], random)];
  return Object.fromEntries(entries);
}

/** Changes one character of a text. */
function scratch(text: string, random: (below: number) => number): string {
  const at = random(text.length);
  return text.slice(0, at) + pick(["", "{", "}", '"', ",", "\\", "/", "\u0000", "9"], random) +
    text.slice(at + 1);
}

Deno.test("schema.json accepts the complete manifest and every shipped one", async () => {
  assert(isValid(parse(full)), JSON.stringify(isValid.errors));
  const directory = new URL("../../../permissions/", import.meta.url);
  const modes: string[] = [];
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith(".jsonc")) continue;
    const text = await Deno.readTextFile(new URL(name, directory));
    assert(isValid(parse(text)), `${name}: ${JSON.stringify(isValid.errors)}`);
    assertEquals(`${parseManifest(text).mode}.jsonc`, name);
    modes.push(name);
  }
  assert(modes.length > 5);
});

Deno.test("parseManifest() accepts nothing that schema.json refuses, and throws only its own error", () => {
  const random = createRandom(SEED);
  const start = parse(full);
  let accepted = 0;
  for (let round = 0; round < MUTATIONS; round++) {
    let node: unknown = start;
    for (let count = random(3); count >= 0; count--) node = mutate(node, random);
    const text = random(4) === 0 ? scratch(full, random) : JSON.stringify(node);
    try {
      parseManifest(text);
    } catch (error) {
      assert(error instanceof ManifestSyntaxError, `round ${round}: ${error} for ${text}`);
      continue;
    }
    accepted += 1;
    assert(isValid(parse(text)), `round ${round}: ${JSON.stringify(isValid.errors)} for ${text}`);
  }
  // A fuzzer that produces only rubbish would prove nothing.
  assert(accepted > 300, `only ${accepted} accepted`);
});
