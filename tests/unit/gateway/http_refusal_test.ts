// Why a request was refused, in words for counters.

import { assertEquals } from "@std/assert";
import { reasonOf } from "../../../src/gateway/http_refusal.ts";

Deno.test("reasonOf() names every status with which the server refuses by itself", () => {
  const reasons = [400, 408, 413, 417, 431, 501, 503, 505].map(reasonOf);
  assertEquals(reasons, [
    "malformed",
    "slow",
    "size",
    "malformed",
    "size",
    "malformed",
    "full",
    "malformed",
  ]);
});
