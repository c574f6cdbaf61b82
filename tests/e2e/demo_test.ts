// `deno task demo` as a person starts it: it tells its whole story and leaves nothing behind.

import { assertEquals, assertStringIncludes } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

Deno.test("deno task demo shows the server on both transports, and ends well", async () => {
  const { code, stdout, stderr } = await new Deno.Command("deno", {
    args: ["task", "--quiet", "demo"],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const [told, complaints] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assertEquals([code, complaints], [0, ""]);
  for (
    const line of [
      "   Bulkhead answers in revision 2025-11-25, ",
      "   echo → Ahoy",
      '   echo → Cannot call "echo": the arguments must have "message"; correct it and call again',
      '{"read":"denied","write":"denied","net":"denied","env":"denied","run":"denied"',
      "   canceled; the server stopped counting and stays silent about it",
      '   revisions ["2026-07-28"], result type "complete"',
      "   │ Wrote 858 bytes to context.bcp",
      "   │ <context>",
      '   Cannot read "/etc/secrets.bcp": Path is outside the roots; ',
      "   200, echo → Ahoy",
      "   200, text/event-stream\n   progress 1 of 3\n",
      "   result: Counted to 3",
      "   403, this page may not use the server",
    ]
  ) assertStringIncludes(told ?? "", line);
  assertEquals(told?.split("the server ended with exit code 0").length, 3);
});
