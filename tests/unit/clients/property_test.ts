// Random configurations with comments, odd white space and commas in odd places: our entry goes in and comes out, and
// nothing else differs.

import { assert, assertEquals } from "@std/assert";
import { parse } from "jsonc-parser";
import type { Entry } from "../../../src/clients/client.ts";
import { readEntry, removeEntry, setEntry } from "../../../src/clients/config_edit.ts";
import { Dice } from "../../harness/dice.ts";

const SEED = 20_261_116;
const TEXTS = 3_000;

const PLACE = { format: "json", container: "mcpServers", name: "ours" } as const;
const ENTRY: Entry = { command: "deno", args: ["run", "x.ts"] };

Deno.test(`setEntry() and removeEntry() keep the rest of ${TEXTS} texts of seed ${SEED}`, () => {
  const dice = new Dice(SEED);
  for (let count = 0; count < TEXTS; count++) {
    const text = createText(dice);
    const edit = setEntry(text, PLACE, ENTRY);
    assert(edit.kind === "changed", `${edit.kind}: ${text}`);
    assert(isSubsequence(text, edit.text), `lost something:\n${text}\n->\n${edit.text}`);
    const value = parse(edit.text);
    const { ours, ...others } = value.mcpServers;
    assertEquals<unknown>(ours, { ...ENTRY });
    const former = parse(text);
    assertEquals({ ...value, mcpServers: others }, {
      ...former,
      mcpServers: former.mcpServers ?? {},
    });
    assertEquals(setEntry(edit.text, PLACE, ENTRY), { kind: "unchanged" });
    const removed = removeEntry(edit.text, PLACE);
    assert(removed.kind === "changed", edit.text);
    assertEquals(readEntry(removed.text, PLACE), undefined);
    const { mcpServers, ...rest } = parse(removed.text);
    assertEquals({ ...rest, mcpServers }, { ...former, mcpServers: former.mcpServers ?? {} });
    assertEquals(commentsOf(removed.text), commentsOf(text));
  }
});

function createText(dice: Dice): string {
  const lineEnd = dice.isOneIn(3) ? "\r\n" : "\n";
  const gap = () => {
    const parts = ["", " ", "\t", lineEnd, `${lineEnd}  `, "/* c */", `// c${lineEnd}`, "  "];
    return Array.from({ length: dice.below(3) }, () => dice.pick(parts)).join("");
  };
  const object = (members: readonly string[]): string => {
    const tail = members.length > 0 && dice.isOneIn(3) ? `,${gap()}` : "";
    return `{${gap()}${members.map((member) => `${member}${gap()}`).join(`,${gap()}`)}${tail}}`;
  };
  const member = (key: string, value: string) => `"${key}"${gap()}:${gap()}${value}`;
  const servers = Array.from(
    { length: dice.below(4) },
    (_, index) => member(`s${index}`, object([member("command", '"x, // y"')])),
  );
  const members = Array.from(
    { length: dice.below(3) },
    (_, index) => member(`k${index}`, dice.pick(["1", '"a\\"}"', "[1,2]", "{}", "null"])),
  );
  if (!dice.isOneIn(4)) {
    members.splice(dice.below(members.length + 1), 0, member("mcpServers", object(servers)));
  }
  return `${gap()}${object(members)}${gap()}`;
}

/** Whether one text is another with something put in; white space may be spent on it. */
function isSubsequence(part: string, whole: string): boolean {
  const wanted = part.replaceAll(/\s/g, "");
  let at = 0;
  for (const character of whole) if (character === wanted[at]) at++;
  return at === wanted.length;
}

function commentsOf(text: string): number {
  return text.match(/\/\* c \*\/|\/\/ c(?=\r?\n)/g)?.length ?? 0;
}
