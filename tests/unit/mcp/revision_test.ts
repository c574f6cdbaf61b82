// Which revision a client gets.

import { assertEquals } from "@std/assert";
import { findStatelessRevision, negotiateRevision } from "../../../src/mcp/revision.ts";

Deno.test("negotiateRevision() offers the latest handshake revision to a stranger's wish", () => {
  for (const requested of ["", "1.0", "2026-07-28", "2099-01-01", "2025-11-25 ", "__proto__"]) {
    assertEquals(negotiateRevision(requested), "2025-11-25", requested);
  }
});

Deno.test("negotiateRevision() grants every handshake revision", () => {
  for (const requested of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
    assertEquals<string>(negotiateRevision(requested), requested);
  }
});

Deno.test("findStatelessRevision() knows the stateless ones only", () => {
  for (const requested of ["", "2025-11-25", "2026-07-29", "DRAFT-2026-v1"]) {
    assertEquals(findStatelessRevision(requested), undefined, requested);
  }
  assertEquals(findStatelessRevision("2026-07-28"), "2026-07-28");
});
