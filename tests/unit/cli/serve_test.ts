// What a server gives back before its first message.

import { assertEquals } from "@std/assert";
import { revokeUnneeded } from "../../../src/cli/serve.ts";

Deno.test({
  name: "revokeUnneeded() gives back what the mode does not need and keeps the rest",
  permissions: { read: ["fixtures", "permissions"] },
  async fn() {
    assertEquals(revokeUnneeded(["read"]), []);
    const before = await Deno.permissions.query({ name: "read", path: "fixtures" });
    assertEquals(before.state, "granted");
    revokeUnneeded([]);
    const after = await Deno.permissions.query({ name: "read", path: "fixtures" });
    assertEquals(after.state === "granted", false);
  },
});
