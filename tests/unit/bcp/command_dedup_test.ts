/** `bcp encode --dedup`: no payload is ever written that cannot be read back. */
import { assertEquals } from "@std/assert";
import { MemoryIo } from "./memory_io.ts";

const REPEATED = JSON.stringify({
  blocks: new Array(2).fill({ type: "code", lang: "go", path: "a.go", content: "package a" }),
});

Deno.test("runBcp() encode --dedup refuses to write references without a store", async () => {
  const io = new MemoryIo({ "m.json": REPEATED });
  const run = await io.run("encode", "m.json", "-o", "out.bcp", "--dedup");
  const fix = "add --store FILE to keep it, or drop --dedup";
  const stderr = `error: --dedup needs a content store to be readable again: ${fix}\n`;
  assertEquals(run, { code: 1, stdout: "", stderr });
  assertEquals(io.written, []);
});

Deno.test("runBcp() encode --dedup without repeats needs no store", async () => {
  const io = new MemoryIo({
    "m.json": '{"blocks":[{"type":"conversation","role":"user","content":"hi"}]}',
  });
  assertEquals((await io.run("encode", "m.json", "-o", "out.bcp", "--dedup")).code, 0);
  assertEquals((await io.run("decode", "out.bcp", "--mode", "minimal")).stdout, "[user] hi\n");
});

Deno.test("runBcp() encode --dedup --store writes the store first, and readers use it", async () => {
  const io = new MemoryIo({ "m.json": REPEATED });
  const encoded = await io.run("encode", "m.json", "-o", "out.bcp", "--dedup", "--store", "s");
  assertEquals([encoded.code, encoded.stderr], [0, ""]);
  assertEquals(io.written, ["s", "out.bcp"]);
  assertEquals(
    (await io.run("decode", "out.bcp", "--mode", "minimal", "--store", "s")).stdout,
    "--- a.go [go] ---\npackage a\n\n--- a.go [go] ---\npackage a\n",
  );
  assertEquals((await io.run("validate", "out.bcp", "--store", "s")).code, 0);
  assertEquals(await io.run("validate", "out.bcp"), {
    code: 1,
    stdout: "✗ Error: content-addressed reference block found but no content store available\n",
    stderr: "error: validation failed\n",
  });
  const second = await io.run("encode", "m.json", "-o", "two.bcp", "--dedup", "--store", "s");
  assertEquals(second.code, 0);
  assertEquals((await io.run("stats", "two.bcp", "--store", "s")).code, 0);
  assertEquals((await io.run("inspect", "out.bcp", "--store", "s")).code, 0);
});

Deno.test("runBcp() encode leaves no payload behind when its store cannot be written", async () => {
  const io = new MemoryIo({ "m.json": REPEATED });
  const run = await io.run("encode", "m.json", "-o", "out.bcp", "--dedup", "--store", "locked");
  assertEquals([run.code, io.written], [1, []]);
});
