import { assertEquals, assertStringIncludes } from "@std/assert";
import { redact, toAuditLine } from "../../../src/process/audit.ts";

const LONG = "a1B2".repeat(12);

const SECRETS = [
  `ghp_${LONG}`,
  `github_pat_${LONG}`,
  `glpat-${LONG}`,
  `sk-${LONG}`,
  "xoxb-1234567890-abcdef",
  "AKIAABCDEFGHIJKLMNOP",
  `AIza${LONG.slice(0, 35)}`,
  `npm_${LONG.slice(0, 36)}`,
  `eyJ${LONG}.${LONG}.${LONG}`,
  "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
];

Deno.test("redact() hides credentials of known shape", () => {
  for (const secret of SECRETS) {
    assertEquals(redact(`before ${secret} after`), "before [redacted] after");
  }
});

Deno.test("redact() hides what is assigned to a telling name", () => {
  assertEquals(redact("--password=hunter2 x"), "--password=[redacted] x");
  assertEquals(redact('{"api_key": "abc"}'), '{"api_key": "[redacted]"}');
  assertEquals(redact("Bearer abcdefgh.ijkl"), "Bearer [redacted]");
  assertEquals(redact("https://me:pw@host/x"), "https://me:[redacted]@host/x");
});

Deno.test("redact() leaves ordinary text alone and bounds its length", () => {
  const text = "read /srv/a/token.txt, 3 files, commit 0123456789abcdef";
  assertEquals(redact(text), text);
  assertEquals(redact("x".repeat(10_000)).length, 8193);
});

Deno.test("redact() stays fast on hostile text", () => {
  // Each would take minutes with a pattern that backtracks.
  for (const text of ["token=".repeat(2000), "eyJ" + ".a".repeat(5000), "a://".repeat(3000)]) {
    redact(text);
  }
});

Deno.test("toAuditLine() is one line of JSON", () => {
  const line = toAuditLine({
    time: "2026-01-01T00:00:00.000Z",
    program: "bn",
    caller: undefined,
    kind: "denial",
    reason: "a\nb",
  });
  assertEquals(line.split("\n").length, 2);
  assertStringIncludes(line, '"kind":"denial"');
});
