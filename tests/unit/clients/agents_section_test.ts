// The section of AGENTS.md: created, updated once, and the rest of the file untouched. Binnacle checklist 32.

import { assert, assertEquals } from "@std/assert";
import { removeAgentsSection, setAgentsSection } from "../../../src/clients/agents_section.ts";

function changed(edit: ReturnType<typeof setAgentsSection>): string {
  return edit.kind === "changed" ? edit.text : edit.kind;
}

Deno.test("setAgentsSection() creates the file with the section alone", () => {
  const text = changed(setAgentsSection(""));
  for (const word of ["bn orient", "binnacle-set_agent", "bn_run", "bn goodbye"]) {
    assert(text.includes(word), word);
  }
  assertEquals(changed(removeAgentsSection(text)), "");
});

Deno.test("setAgentsSection() keeps every byte around the section", async (t) => {
  for (const before of ["# Mine\n", "# Mine", "# Mine\r\n\r\ntext\r\n"]) {
    await t.step(JSON.stringify(before), () => {
      const text = changed(setAgentsSection(before));
      assert(text.startsWith(before));
      assertEquals(text.includes("\r\n"), before.includes("\r\n"));
      assertEquals(setAgentsSection(text), { kind: "unchanged" });
      assertEquals(setAgentsSection(`${text}more\n`), { kind: "unchanged" });
      assertEquals(changed(removeAgentsSection(text)).trimEnd(), before.trimEnd());
    });
  }
});

Deno.test("setAgentsSection() updates an old section where it stands", () => {
  const text = changed(setAgentsSection("# Mine\n"));
  const old = text.replace(/This project[^\n]*/, "Old words.") + "\nafter\n";
  assertEquals(changed(setAgentsSection(old)), `${text}\nafter\n`);
});

Deno.test("setAgentsSection() refuses marks that do not match", () => {
  const text = changed(setAgentsSection("# Mine\n"));
  for (const odd of [text + text, text.replace(/<!--.*end -->/, "")]) {
    assertEquals(setAgentsSection(odd).kind, "refused");
    assertEquals(removeAgentsSection(odd).kind, "refused");
  }
});
