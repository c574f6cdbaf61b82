/** The store file: damage first, then that it comes back as it was. */
import { assertEquals, assertThrows } from "@std/assert";
import { BcpSyntaxError } from "../../../src/bcp/error.ts";
import { ContentStore, decodeStore, encodeStore } from "../../../src/bcp/store.ts";

Deno.test("decodeStore() refuses damaged stores", async (t) => {
  const store = new ContentStore();
  store.add(Uint8Array.of(1, 2, 3));
  const bytes = encodeStore(store);
  const magicBytes = 5;
  await t.step("cut short anywhere", () => {
    for (let length = 0; length < bytes.length; length++) {
      if (length === magicBytes) continue;
      assertThrows(() => decodeStore(bytes.subarray(0, length)), BcpSyntaxError);
    }
  });
  await t.step("changed anywhere", () => {
    for (let at = 0; at < bytes.length; at++) {
      const changed = bytes.slice();
      changed[at]! ^= 1;
      assertThrows(() => decodeStore(changed), BcpSyntaxError);
    }
  });
});

Deno.test("decodeStore() gives back what encodeStore() wrote, each body once", () => {
  const store = new ContentStore();
  const bodies = [new Uint8Array(), Uint8Array.of(1), new Uint8Array(300).fill(7)];
  const hashes = [...bodies, ...bodies].map((body) => store.add(body));
  assertEquals(store.size, 3);
  const read = decodeStore(encodeStore(store));
  assertEquals([...read.bodies()], bodies);
  assertEquals(hashes.slice(0, 3).map((hash) => read.find(hash)), bodies);
});
