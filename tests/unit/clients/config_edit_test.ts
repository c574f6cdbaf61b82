// Edits of configurations in every layout that people write them in; whatever surrounds our entry keeps its bytes.

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Entry } from "../../../src/clients/client.ts";
import {
  type ConfigPlace,
  readEntry,
  removeEntry,
  setEntry,
} from "../../../src/clients/config_edit.ts";
import { toUnifiedDiff } from "../../../src/clients/unified_diff.ts";

const ENTRY: Entry = { command: "deno", args: ["run", "x.ts"] };
const JSON_PLACE: ConfigPlace = { format: "json", container: "mcpServers", name: "ours" };
const TOML_PLACE: ConfigPlace = { format: "toml", container: "mcp_servers", name: "ours" };

function textOf(edit: ReturnType<typeof setEntry>): string {
  return edit.kind === "changed"
    ? edit.text
    : `${edit.kind}: ${"reason" in edit ? edit.reason : ""}`;
}

const INSERTED = [
  {
    name: "one line without gaps",
    before: '{"a":1,"mcpServers":{"x":{}}}',
    after: '{"a":1,"mcpServers":{"x":{},"ours":{"command":"deno","args":["run","x.ts"]}}}',
  },
  {
    name: "one line with gaps",
    before: '{ "mcpServers": { "x": {} } }',
    after: '{ "mcpServers": { "x": {}, "ours": { "command": "deno", "args": ["run", "x.ts"] } } }',
  },
  {
    name: "one line, a comma at its end",
    before: '{ "mcpServers": { "x": {}, } }',
    after: '{ "mcpServers": { "x": {}, "ours": { "command": "deno", "args": ["run", "x.ts"] }, } }',
  },
  {
    name: "an empty object that holds a comment",
    before: '{\n  "mcpServers": {\n    // none\n  }\n}\n',
    after:
      '{\n  "mcpServers": {\n    // none\n    "ours": {\n      "command": "deno",\n      "args": ["run", "x.ts"]\n    }\n  }\n}\n',
  },
  {
    name: "a comment behind a comma at the end",
    before: '{\n    "mcpServers": {\n        "x": {}, // last\n    }\n}',
    after:
      '{\n    "mcpServers": {\n        "x": {}, // last\n        "ours": {\n            "command": "deno",\n            "args": ["run", "x.ts"]\n        },\n    }\n}',
  },
  {
    name: "a closing brace on the line of the last server",
    before: '{\n  "mcpServers": {\n    "x": {} /* last */ } }\n',
    after:
      '{\n  "mcpServers": {\n    "x": {},\n    "ours": {\n      "command": "deno",\n      "args": ["run", "x.ts"]\n    } /* last */ } }\n',
  },
  {
    name: "a block comment over two lines",
    before: '{\n  "mcpServers": {\n    "x": {} /* a\n b */\n  }\n}\n',
    after:
      '{\n  "mcpServers": {\n    "x": {},\n    "ours": {\n      "command": "deno",\n      "args": ["run", "x.ts"]\n    } /* a\n b */\n  }\n}\n',
  },
] as const;

Deno.test("setEntry() adds to JSON in the style of the file", async (t) => {
  for (const { name, before, after } of INSERTED) {
    await t.step(name, () => {
      assertEquals(textOf(setEntry(before, JSON_PLACE, ENTRY)), after);
      assertEquals(setEntry(after, JSON_PLACE, ENTRY), { kind: "unchanged" });
      const removed = textOf(removeEntry(after, JSON_PLACE));
      assertEquals(removed.replaceAll(/\s/g, ""), before.replaceAll(/\s/g, ""));
    });
  }
});

const REFUSED = [
  { text: "// only words\n", reason: /is not valid JSON \(value expected at line 2\)/ },
  { text: '{ "a": 1, "a" }', reason: /is not valid JSON \(colon expected at line 1\)/ },
  { text: "{} {}", reason: /is not valid JSON \(end of file expected at line 1\)/ },
  { text: "[".repeat(100_000), reason: /nests too deep|is not valid JSON/ },
  { text: '"text"', reason: /holds a string where an object belongs/ },
  { text: "null", reason: /holds null where an object belongs/ },
  { text: '{ "mcpServers": null }', reason: /holds null at "mcpServers"/ },
  { text: '{ "mcpServers": {}, "mcpServers": {} }', reason: /holds "mcpServers" twice/ },
  { text: '{ "mcpServers": { "ours": {}, "ours": {} } }', reason: /holds "ours" twice/ },
  { text: '{ "mcpServers": { "ours": "x" } }', reason: /holds a string at "ours"/ },
  { text: '{ "mcpServers": { "ours": { "url": "http://x" } } }', reason: /a server elsewhere/ },
  {
    text: '{ "mcpServers": { "ours": { "command": "a", "command": "b" } } }',
    reason: /holds "command" twice/,
  },
] as const;

Deno.test("setEntry() refuses JSON that it cannot be sure about", async (t) => {
  for (const { text, reason } of REFUSED) {
    await t.step(text.slice(0, 60), () => {
      const edit = setEntry(text, JSON_PLACE, ENTRY);
      assertMatch(edit.kind === "refused" ? edit.reason : edit.kind, reason);
    });
  }
});

const TOML_REFUSED = [
  { text: "mcp_servers = { x = { command = 'y' } }\n", reason: /writes "mcp_servers" inline/ },
  { text: "[mcp_servers]\nours = { command = 'y' }\n", reason: /does not write .* as a table/ },
  { text: "mcp_servers.ours.command = 'y'\n", reason: /does not write .* as a table/ },
  { text: "[mcp_servers.ours.env]\nA = '1'\n", reason: /does not write .* as a table/ },
  { text: "[mcp_servers.ours]\nurl = 'http://x'\n", reason: /a server elsewhere/ },
  { text: "a = 1\na = 2\n", reason: /is not valid TOML \(.* at line 2\)/ },
] as const;

Deno.test("setEntry() refuses TOML that it cannot be sure about", async (t) => {
  for (const { text, reason } of TOML_REFUSED) {
    await t.step(text.trimEnd(), () => {
      const edit = setEntry(text, TOML_PLACE, ENTRY);
      assertMatch(edit.kind === "refused" ? edit.reason : edit.kind, reason);
    });
  }
});

Deno.test("setEntry() is not led astray by TOML that looks like our table", () => {
  const text =
    'a = """\n[mcp_servers.ours]\ncommand = "x"\n"""\nb = [\n  "[mcp_servers.ours]",\n]\n';
  const changed = textOf(setEntry(text, TOML_PLACE, ENTRY));
  assert(changed.startsWith(text));
  assertEquals(readEntry(changed, TOML_PLACE), { ...ENTRY });
  assertEquals(textOf(removeEntry(changed, TOML_PLACE)), text);
});

Deno.test("setEntry() adds a missing key to our TOML table before the tables below it", () => {
  const text = '[mcp_servers.ours] # c\ncommand = "deno" # d\n[mcp_servers.ours.env]\nA = "1"\n';
  const changed = textOf(setEntry(text, TOML_PLACE, ENTRY));
  assertEquals(
    changed,
    '[mcp_servers.ours] # c\ncommand = "deno" # d\nargs = ["run", "x.ts"]\n[mcp_servers.ours.env]\nA = "1"\n',
  );
  assertEquals(textOf(removeEntry(changed, TOML_PLACE)), "");
});

Deno.test("names that need escaping are escaped in both formats", async (t) => {
  for (const name of ["a.b", "a/b", 'a"b', "a\nb", "a b", "ü", "a\\b", "a\x7fb", "constructor"]) {
    await t.step(JSON.stringify(name), () => {
      for (const place of [{ ...JSON_PLACE, name }, { ...TOML_PLACE, name }]) {
        const text = textOf(setEntry("", place, ENTRY));
        assertEquals(readEntry(text, place), { ...ENTRY });
        assertEquals(setEntry(text, place, ENTRY), { kind: "unchanged" });
        assertEquals(readEntry(textOf(removeEntry(text, place)), place), undefined);
      }
    });
  }
});

Deno.test("removeEntry() takes out only our entry, wherever it stands", () => {
  const others = ['"a": 1', '"b": { "c": [1, 2,] }'];
  for (let at = 0; at <= others.length; at++) {
    for (const tail of ["", ","]) {
      const members = others.toSpliced(at, 0, '"ours": { "command": "x" }');
      const text = `{ // h\n  "mcpServers": {\n    ${members.join(", // n\n    ")}${tail}\n  }\n}`;
      const removed = textOf(removeEntry(text, JSON_PLACE));
      assertEquals(readEntry(removed, JSON_PLACE), undefined, removed);
      assert(others.every((other) => removed.includes(other)), removed);
      assertEquals(removeEntry(removed, JSON_PLACE), { kind: "unchanged" });
    }
  }
  // What follows on the line must not end up behind the comment before.
  const close = '{ "mcpServers": {\n"a": 1, // c\n"ours": {} } }';
  assertEquals(textOf(removeEntry(close, JSON_PLACE)), '{ "mcpServers": {\n"a": 1 // c\n } }');
  assertEquals(removeEntry("", JSON_PLACE), { kind: "unchanged" });
  assertEquals(removeEntry("{}", JSON_PLACE), { kind: "unchanged" });
});

Deno.test("toUnifiedDiff() says what changed, with its surroundings", () => {
  assertEquals(toUnifiedDiff("f", "a\n", "a\n"), "");
  assertEquals(toUnifiedDiff("f", undefined, "a\n"), "--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
  assertEquals(
    toUnifiedDiff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nx\n6\n7\n8\n9"),
    "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
  );
  assertEquals(
    toUnifiedDiff("f", "a", "a\n"),
    "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n",
  );
});
