/** `bcp encode`: what is refused and in which words, what is written. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { decodePayload } from "../../../src/bcp/decode.ts";
import { encodePayload, toPriorityAnnotation } from "../../../src/bcp/encode.ts";
import { LANG_UNKNOWN } from "../../../src/bcp/names.ts";
import { toUtf8 } from "../../../src/bcp/bytes.ts";
import { MemoryIo } from "./memory_io.ts";

const HI = '"content":"hi"';

/** Blocks that parse but cannot be applied: the reference's own words. */
const REFUSED_BLOCKS = [
  { block: '"type":"code","lang":"go","path":"a"', cause: requires("code") },
  { block: '"type":"tool_result","name":"ls"', cause: requires("tool_result") },
  {
    block: `"type":"conversation","role":"Bot",${HI}`,
    cause: 'unknown role "Bot" — expected system|user|assistant|tool',
  },
  {
    block: `"type":"tool_result","name":"x","status":"bad",${HI}`,
    cause: 'unknown status "bad" — expected ok|error|timeout',
  },
  {
    block: `"type":"document","title":"x","format":"pdf",${HI}`,
    cause: 'unknown document format "pdf" — expected markdown|plain|html',
  },
  {
    block: `"type":"structured_data","format":"xml",${HI}`,
    cause: 'unknown data format "xml" — expected json|yaml|toml|csv',
  },
  {
    block: `"type":"code","lang":"go","path":"a","priority":"top",${HI}`,
    cause: 'unknown priority "top" — expected critical|high|normal|low|background',
  },
  {
    block: '"type":"code","lang":"go","path":"a","content_file":"no.go"',
    cause: "cannot read content_file dir/no.go: No such file or directory (os error 2)",
  },
  {
    block: '"type":"conversation","role":"Bot","content_file":"/no.txt"',
    cause: "cannot read content_file /no.txt: No such file or directory (os error 2)",
  },
  {
    block: '"type":"file_tree","root":"/","entries":[{"name":"a","kind":"link"}]',
    cause: 'unknown entry kind "link" — expected file|directory',
  },
] as const;

Deno.test("runBcp() encode refuses a block it cannot apply and writes nothing", async (t) => {
  for (const { block, cause } of REFUSED_BLOCKS) {
    await t.step(cause, async () => {
      const first = `{"type":"conversation","role":"user",${HI}}`;
      const io = new MemoryIo({ "dir/m.json": `{"blocks":[${first},{${block}}]}` });
      const run = await io.run("encode", "dir/m.json", "-o", "out.bcp");
      const stderr = `error: block 1: failed to apply: ${cause}\n`;
      assertEquals(run, { code: 1, stdout: "", stderr });
      assertEquals(io.written, []);
    });
  }
});

/** Texts that are no manifest; wording is ours, category and exit code the reference's. */
const REFUSED_MANIFESTS = [
  { name: "empty", text: "", reason: "EOF while parsing a value at line 1 column 1" },
  { name: "byte order mark", text: '\ufeff{"blocks":[]}', reason: "expected value" },
  { name: "key without quotes", text: "{a:1}", reason: "key must be a string at line 1 column 2" },
  { name: "no colon", text: '{"a" 1}', reason: "expected `:`" },
  { name: "no comma", text: '{"a":1 "b":2}', reason: "expected `,` or `}`" },
  { name: "list without a comma", text: "[1 2]", reason: "expected `,` or `]`" },
  { name: "object cut short", text: '{"a":1\n', reason: "EOF while parsing an object at line 2" },
  { name: "string cut short", text: '{"a\\"', reason: "EOF while parsing a string" },
  { name: "control character", text: '{"a\tb":1}', reason: "control character in string" },
  { name: "wrong escape", text: '{"\\x":1}', reason: "invalid escape" },
  { name: "null document", text: "null", reason: "invalid type: null, expected an object" },
  {
    name: "blocks not a list",
    text: '{"blocks":{}}',
    reason: "invalid type: map, expected a sequence",
  },
  { name: "block not an object", text: '{"blocks":[true]}', reason: "invalid type: boolean" },
  {
    name: "text for a number",
    text: '{"blocks":[{"type":"annotation","target_block_id":"0","kind":"tag","value":""}]}',
    reason: "invalid type: string, expected a number",
  },
  { name: "not an object", text: "[]", reason: "invalid type: sequence, expected an object" },
  { name: "no blocks key", text: "{}", reason: "missing field `blocks`" },
  {
    name: "trailing text",
    text: '{"blocks":[]} x',
    reason: "trailing characters at line 1 column 15",
  },
  { name: "no type", text: '{"blocks":[{}]}', reason: "missing field `type`" },
  { name: "unknown type", text: '{"blocks":[{"type":"x"}]}', reason: "unknown variant `x`" },
  {
    name: "number for text",
    text: '{"blocks":[{"type":"code","lang":1}]}',
    reason: "invalid type",
  },
  {
    name: "missing path",
    text: '{"blocks":[{"type":"code","lang":"c"}]}',
    reason: "missing field `path`",
  },
  {
    name: "null for required",
    text: '{"blocks":[{"type":"code","lang":null}]}',
    reason: "missing field",
  },
  {
    name: "duplicate known key",
    text: '{"blocks":[{"type":"conversation","role":"user","role":"user"}]}',
    reason: "duplicate field `role`",
  },
  { name: "lone surrogate", text: '{"blocks":["\\ud800"]}', reason: "lone surrogate" },
  { name: "deep nesting", text: "[".repeat(500), reason: "recursion limit exceeded" },
  {
    name: "negative line number",
    text:
      '{"blocks":[{"type":"diff","path":"a","hunks":[{"old_start":-1,"new_start":1,"lines":""}]}]}',
    reason: "expected an integer from 0 to 4294967295",
  },
] as const;

Deno.test("runBcp() encode refuses what is not a manifest", async (t) => {
  for (const { name, text, reason } of REFUSED_MANIFESTS) {
    await t.step(name, async () => {
      const io = new MemoryIo({ "m.json": text });
      const run = await io.run("encode", "m.json", "-o", "out.bcp");
      assertEquals([run.code, run.stdout, io.written], [1, "", []]);
      assertStringIncludes(run.stderr, "error: failed to parse manifest m.json: ");
      assertStringIncludes(run.stderr, reason);
    });
  }
});

Deno.test("runBcp() encode names the file that fails", async (t) => {
  const manifest = `{"blocks":[{"type":"conversation","role":"user",${HI}}]}`;
  const cases = [
    {
      argv: ["encode", "no.json", "-o", "out"],
      stderr: "error: cannot read no.json: No such file or directory (os error 2)\n",
    },
    {
      argv: ["encode", "latin1.json", "-o", "out"],
      stderr: "error: cannot read latin1.json: stream did not contain valid UTF-8\n",
    },
    {
      argv: ["encode", "m.json", "-o", "locked.bcp"],
      stderr: "error: cannot write locked.bcp: Permission denied (os error 13)\n",
    },
    {
      argv: ["encode", "empty.json", "-o", "out"],
      stderr: "error: BcpEncoder::encode failed: no blocks have been added to the encoder\n",
    },
    {
      argv: ["encode", "m.json", "-o", "out", "--store", "s"],
      stderr: "error: --store has no use without --dedup: add --dedup, or drop --store\n",
    },
    {
      argv: ["encode", "m.json", "-o", "out", "--dedup", "--store", "out"],
      stderr: "error: --store and --output name the same file: choose another for one\n",
    },
    {
      argv: ["encode", "m.json", "-o", "out", "--dedup", "--store", "m.json"],
      stderr: "error: failed to read store m.json: not a content store\n",
    },
  ] as const;
  for (const { argv, stderr } of cases) {
    await t.step(argv.join(" "), async () => {
      const io = new MemoryIo({
        "m.json": manifest,
        "empty.json": '{"blocks":[]}',
        "latin1.json": Uint8Array.of(0x7b, 0xff),
      });
      assertEquals(await io.run(...argv), { code: 1, stdout: "", stderr });
      assertEquals(io.written, []);
    });
  }
});

Deno.test("runBcp() encode writes what the manifest asks for", async () => {
  const manifest = {
    comment: "ignored",
    blocks: [
      {
        lang: "C++",
        path: "a.cc",
        content: "x",
        summary: "s",
        priority: "HIGH",
        type: "code",
        z: 1,
      },
      { type: "code", lang: "cobol", path: "b", content_file: "b.cob", content: null },
      { type: "tool_result", name: "ls", content: "y", summary: "ignored", priority: "ignored" },
      { type: "tool_result", tool_name: "rg", status: "err", content: "y", summary: "kept" },
      { type: "document", title: "d", content: "z", format: "txt" },
      { type: "document", title: "d", content: "z", format_hint: "html" },
      { type: "structured_data", format: "yml", content: "a: 1", summary: "ignored" },
      {
        type: "file_tree",
        root: "src",
        entries: [{
          name: "d",
          kind: "directory",
          children: [{ name: "f", kind: "file", size: 7 }],
        }],
      },
      { type: "diff", path: "a", hunks: [{ old_start: 1, new_start: 2, lines: "+x\n" }] },
      { type: "annotation", target_block_id: 0, kind: "tag", value: "t" },
      { type: "annotation", target_block_id: 3, kind: "priority", value: "low" },
      { type: "embedding_ref", vector_id: "v", source_hash: "ab".repeat(32), model: "m" },
      { type: "image", media_type: "svg", alt_text: "alt", data: "https://x" },
      { type: "extension", namespace: "n", type_name: "t", content: "e" },
    ],
  };
  const io = new MemoryIo({
    "dir/m.json": JSON.stringify(manifest),
    "dir/b.cob": Uint8Array.of(255),
  });
  assertEquals((await io.run("encode", "dir/m.json", "-o", "out.bcp")).code, 0);
  const { blocks } = await decodePayload(io.files.get("out.bcp")!);
  assertEquals(blocks, [
    { kind: "code", lang: 8, path: "a.cc", content: toUtf8("x"), summary: "s" },
    toPriorityAnnotation(0, "high"),
    { kind: "code", lang: LANG_UNKNOWN, path: "b", content: Uint8Array.of(255) },
    { kind: "tool_result", name: "ls", status: "ok", content: toUtf8("y") },
    { kind: "tool_result", name: "rg", status: "error", content: toUtf8("y"), summary: "kept" },
    { kind: "document", title: "d", content: toUtf8("z"), format: "plain" },
    { kind: "document", title: "d", content: toUtf8("z"), format: "html" },
    { kind: "structured_data", format: "yaml", content: toUtf8("a: 1") },
    {
      kind: "file_tree",
      root: "src",
      entries: [{
        name: "d",
        kind: "directory",
        size: 0n,
        children: [{ name: "f", kind: "file", size: 7n, children: [] }],
      }],
    },
    { kind: "diff", path: "a", hunks: [{ oldStart: 1, newStart: 2, lines: toUtf8("+x\n") }] },
    { kind: "annotation", target: 0, annotation: "tag", value: toUtf8("t") },
    toPriorityAnnotation(3, "low"),
    {
      kind: "embedding_ref",
      vectorId: toUtf8("v"),
      sourceHash: new Uint8Array(32).fill(0xab),
      model: "m",
    },
    { kind: "image", media: "svg", alt: "alt", content: toUtf8("https://x") },
    { kind: "extension", namespace: "n", typeName: "t", content: toUtf8("e") },
  ]);
});

Deno.test("runBcp() encode finds content files beside the manifest", async (t) => {
  const cases = [
    { manifest: "m.json", file: "c.txt", path: "c.txt" },
    { manifest: "/m.json", file: "c.txt", path: "/c.txt" },
    { manifest: "a/b/m.json", file: "../c.txt", path: "a/b/../c.txt" },
    { manifest: "a/m.json", file: "/c.txt", path: "/c.txt" },
  ] as const;
  for (const { manifest, file, path } of cases) {
    await t.step(`${file} of ${manifest}`, async () => {
      const block = { type: "conversation", role: "user", "content_file": file };
      const io = new MemoryIo({ [manifest]: JSON.stringify({ blocks: [block] }), [path]: "hi" });
      assertEquals((await io.run("encode", manifest, "-o", "out")).stderr, "");
    });
  }
});

Deno.test("runBcp() encode compresses blocks, payload, or payload alone when asked for both", async () => {
  const content = "same words ".repeat(50);
  const text = JSON.stringify({ blocks: [{ type: "conversation", role: "user", content }] });
  const block = { kind: "conversation", role: "user", content: toUtf8(content) } as const;
  const cases = [
    { flags: ["--compress-blocks"], options: { compressBlocks: true } },
    { flags: ["--compress-payload"], options: { compressPayload: true } },
    { flags: ["--compress-blocks", "--compress-payload"], options: { compressPayload: true } },
  ] as const;
  for (const { flags, options } of cases) {
    const io = new MemoryIo({ "m.json": text });
    const run = await io.run("encode", "m.json", "-o", "out", ...flags);
    const bytes = io.files.get("out")!;
    assertEquals(run.stdout, `Wrote ${bytes.length} bytes to out\n`);
    assertEquals(bytes, encodePayload([block], options));
  }
});

function requires(type: string): string {
  return `${type} block requires either "content" or "content_file"`;
}
