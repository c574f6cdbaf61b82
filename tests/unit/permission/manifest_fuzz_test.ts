// Seeded mutations of a complete manifest: the parser accepts nothing that the published schema refuses, and throws
// nothing but its own error.

import { assert, assertEquals } from "@std/assert";
import { Dice } from "../../harness/dice.ts";
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

function createValue(dice: Dice): unknown {
  const values = [null, true, 0, 1, -1, 0.5, 1e9, 1e300, [], {}, [dice.pick(WORDS)], {
    kind: "path",
  }];
  return dice.below(2) === 0 ? dice.pick(WORDS) : values[dice.below(values.length)];
}

/** Changes one place of a document. */
function mutate(node: unknown, dice: Dice): unknown {
  if (dice.below(6) === 0 || typeof node !== "object" || node === null) return createValue(dice);
  if (Array.isArray(node)) {
    const copy = [...node];
    if (copy.length === 0 || dice.below(3) === 0) copy.push(createValue(dice));
    else {
      const index = dice.below(copy.length);
      copy[index] = mutate(copy[index], dice);
    }
    return copy;
  }
  const entries = Object.entries(node);
  const index = dice.below(entries.length + 1);
  const entry = entries[index];
  if (entry === undefined) entries.push([dice.pick(KEYS), createValue(dice)]);
  else if (dice.below(8) === 0) entries.splice(index, 1);
  else entries[index] = [entry[0], mutate(entry[1], dice)];
  return Object.fromEntries(entries);
}

/** Changes one character of a text. */
function scratch(text: string, dice: Dice): string {
  const at = dice.below(text.length);
  return text.slice(0, at) + dice.pick(["", "{", "}", '"', ",", "\\", "/", "\u0000", "9"]) +
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
  const dice = new Dice(SEED);
  const start = parse(full);
  let accepted = 0;
  for (let round = 0; round < MUTATIONS; round++) {
    let node: unknown = start;
    for (let count = dice.below(3); count >= 0; count--) node = mutate(node, dice);
    const text = dice.below(4) === 0 ? scratch(full, dice) : JSON.stringify(node);
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
