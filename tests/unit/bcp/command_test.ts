/** The commands that read payloads: exact stdout, stderr and exit code, section by section of the spec. */
import { assertEquals } from "@std/assert";
import { toUtf8 } from "../../../src/bcp/bytes.ts";
import { FILES } from "./command_payloads.ts";
import { MemoryIo } from "./memory_io.ts";

const CASES = [
  {
    name: "§5.1 inspect of every kind",
    argv: ["inspect", "all.bcp"],
    stdout: `Header: BCP v1.0, flags=0x00, 16 blocks
Block 0: CODE [rust] path="src/a.rs" (9 bytes)
         Summary: "one\\t\\"a\\""
Block 1: CONVERSATION [user] (8 bytes)
Block 2: FILE_TREE root="src" (8 bytes)
Block 3: TOOL_RESULT [ls] status=timeout (4 bytes)
Block 4: DOCUMENT title="T\\u{301}" (3 bytes)
Block 5: STRUCTURED_DATA format=toml (3 bytes)
Block 6: DIFF path="a.rs" (3 bytes)
Block 7: ANNOTATION target=0 kind=priority value="high" (1 bytes)
Block 8: ANNOTATION target=0 kind=tag value="entry" (5 bytes)
Block 9: ANNOTATION target=0 kind=priority value="\\t" (1 bytes)
Block 10: EMBEDDING_REF [embedding ref] (32 bytes)
Block 11: IMAGE [png] alt="Logo" (4 bytes)
Block 12: EXTENSION namespace="com.x" type="y" (1 bytes)
Block 13: UNKNOWN [0x42] (5 bytes)
Block 14: CODE [unknown] path="" (0 bytes)
Block 15: CODE [other(66)] path="" (0 bytes)
---
END sentinel at offset ${FILES["all.bcp"].length - 4}
`,
  },
  {
    name: "§5.1 inspect with body and hex of one block",
    argv: ["inspect", "all.bcp", "--show-hex", "--block", "11", "--show-body"],
    stdout: `Header: BCP v1.0, flags=0x00, 16 blocks
Block 11: IMAGE [png] alt="Logo" (4 bytes)
         Body:    \ufffdP \u007f
         Hex dump:
           0000  89 50 20 7f                                       .P..
---
END sentinel at offset ${FILES["all.bcp"].length - 4}
`,
  },
  {
    name: "§5.1 inspect cuts a body after 80 characters",
    argv: ["inspect", "big.bcp", "--show-body"],
    stdout: `Header: BCP v1.0, flags=0x01, 1 block
Block 0: CONVERSATION [user] (500 bytes)
         Body:    ${"word ".repeat(16)}…
---
END sentinel at offset ${FILES["big.bcp"].length - 4}
`,
  },
  {
    name: "§5.1 inspect of a block without content bytes",
    argv: ["inspect", "tree.bcp", "--show-body", "--show-hex"],
    stdout: `Header: BCP v1.0, flags=0x00, 1 block
Block 0: DIFF path="a" (0 bytes)
         Body:    ${""}
         Hex dump:
---
END sentinel at offset ${FILES["tree.bcp"].length - 4}
`,
  },
  {
    name: "§5.1 inspect of a block that is not there",
    argv: ["inspect", "one.bcp", "--block", "7"],
    stdout: "Header: BCP v1.0, flags=0x00, 1 block\n---\nEND sentinel at offset 25\n",
  },
  {
    name: "§5.1 inspect of a broken payload",
    argv: ["inspect", "cut.bcp"],
    code: 1,
    stderr: "error: failed to decode cut.bcp: unexpected end of input at offset 12\n",
  },
  {
    name: "§5.1 inspect of a missing file",
    argv: ["inspect", "./no.bcp"],
    code: 1,
    stderr: "error: cannot read ./no.bcp: No such file or directory (os error 2)\n",
  },
  {
    name: "§5.2 validate of a sound payload",
    argv: ["validate", "two.bcp"],
    stdout: `✓ Header: valid (BCP v1.0)
✓ Blocks: 2 blocks parsed successfully
✓ Sentinel: END block present
✓ Integrity: all block bodies parse without error
`,
  },
  {
    name: "§5.2 validate of a broken payload",
    argv: ["validate", "cut.bcp"],
    code: 1,
    stdout: "✗ Error: unexpected end of input at offset 12\n",
    stderr: "error: validation failed\n",
  },
  {
    name: "§5.2 validate of a directory",
    argv: ["validate", "dir/"],
    code: 1,
    stderr: "error: cannot read dir/: Is a directory (os error 21)\n",
  },
  {
    name: "§5.4 decode as xml by default",
    argv: ["decode", "two.bcp"],
    stdout: `<context>
<code lang="rust" path="src/a.rs">
fn a() {}
</code>

<turn role="user">hi there</turn>
</context>
`,
  },
  {
    name: "§5.4 decode as md, in any case",
    argv: ["decode", "two.bcp", "--mode", "MD"],
    stdout: "## src/a.rs\n\n```rust\nfn a() {}\n```\n\n**User**: hi there\n",
  },
  {
    name: "§5.4 decode with summaries",
    argv: ["decode", "two.bcp", "--mode=minimal", "--verbosity", "Summary"],
    stdout: '--- src/a.rs [rust] (summary) ---\none\t"a"\n\n[user] hi there\n',
  },
  {
    name: "§5.4 decode under a budget",
    argv: ["decode", "two.bcp", "--mode", "minimal", "--budget", "1"],
    stdout:
      '--- src/a.rs [rust] (summary) ---\none\t"a"\n\n[omitted: conversation user turn ~2tok]\n',
  },
  {
    name: "§5.4 decode ignores the budget when verbosity is full",
    argv: ["decode", "one.bcp", "--mode", "minimal", "--budget", "0", "--verbosity", "full"],
    stdout: "[user] hi there\n",
  },
  {
    name: "§5.4 decode with an include list",
    argv: ["decode", "all.bcp", "--mode", "minimal", "--include", " Diff ,,filetree,DOCUMENT,"],
    stdout:
      "--- tree: src ---\na.rs (9 bytes)\n\n\n--- T\u0301 ---\n# T\n\n--- diff: a.rs ---\n+x\n",
  },
  {
    name: "§5.4 decode into a file",
    argv: ["decode", "one.bcp", "--mode", "minimal", "-o", "out.txt"],
  },
  {
    name: "§5.4 decode into a file that cannot be written",
    argv: ["decode", "one.bcp", "-o", "locked.txt"],
    code: 1,
    stderr: "error: cannot write locked.txt: Permission denied (os error 13)\n",
  },
  {
    name: "§5.4 decode reports a broken payload before a wrong mode",
    argv: ["decode", "cut.bcp", "--mode", "nope"],
    code: 1,
    stderr: "error: failed to decode cut.bcp: unexpected end of input at offset 12\n",
  },
  {
    name: "§5.4 decode with an unknown mode",
    argv: ["decode", "one.bcp", "--mode", "html", "--verbosity", "nope"],
    code: 1,
    stderr: 'error: unknown mode "html" — expected xml|markdown|minimal\n',
  },
  {
    name: "§5.4 decode with an unknown verbosity",
    argv: ["decode", "one.bcp", "--verbosity", "most", "--include", "nope"],
    code: 1,
    stderr: 'error: unknown verbosity "most" — expected full|summary|adaptive\n',
  },
  {
    name: "§5.4 decode with an unknown block type",
    argv: ["decode", "one.bcp", "--include", "code,unknown"],
    code: 1,
    stderr: 'error: unknown block type "unknown"\n',
  },
  {
    name: "§5.4 decode that includes nothing",
    argv: ["decode", "one.bcp", "--include", ","],
    code: 1,
    stderr: "error: driver render failed: no blocks to render\n",
  },
  {
    name: "§5.4 decode of annotations only",
    argv: ["decode", "notes.bcp", "--include", "annotation"],
    code: 1,
    stderr: "error: driver render failed: no blocks to render\n",
  },
  {
    name: "§5.4 decode of content that is not UTF-8",
    argv: ["decode", "bytes.bcp"],
    code: 1,
    stderr: "error: driver render failed: invalid UTF-8 in block content at index 0\n",
  },
  {
    name: "§5.5 stats of every kind: no tokens with a binary image",
    argv: ["stats", "all.bcp"],
    stdout: `File:    all.bcp  (${FILES["all.bcp"].length} bytes)
Header:  BCP v1.0, flags=0x00 (uncompressed)
Blocks:  16 total

Type                 Count   Bytes
────────────────────────────────────
CODE                     3       9
CONVERSATION             1       8
FILE_TREE                1       8
TOOL_RESULT              1       4
DOCUMENT                 1       3
STRUCTURED_DATA          1       3
DIFF                     1       3
ANNOTATION               3       7
EMBEDDING_REF            1      32
IMAGE                    1       4
EXTENSION                1       1
UNKNOWN                  1       5
────────────────────────────────────
Total                   16      87

Tokens (heuristic estimate):
  xml mode      ~0 tokens
  markdown mode ~0 tokens
  minimal mode  ~0 tokens
`,
  },
  {
    name: "§5.5 stats of a compressed payload",
    argv: ["stats", "big.bcp"],
    stdout: `File:    big.bcp  (${FILES["big.bcp"].length} bytes)
Header:  BCP v1.0, flags=0x01 (payload zstd-compressed)
Blocks:  1 total

Type                 Count   Bytes
────────────────────────────────────
CONVERSATION             1     500
────────────────────────────────────
Total                    1     500

Tokens (heuristic estimate):
  xml mode      ~136 tokens
  markdown mode ~127 tokens
  minimal mode  ~126 tokens
`,
  },
] as const;

Deno.test("runBcp() reads payloads exactly as the reference program does", async (t) => {
  for (const { name, argv, ...expected } of CASES) {
    await t.step(name, async () => {
      const run = await new MemoryIo(FILES).run(...argv);
      assertEquals(run, { code: 0, stdout: "", stderr: "", ...expected });
    });
  }
});

Deno.test("runBcp() writes decoded text to a file without a final newline", async () => {
  const io = new MemoryIo(FILES);
  await io.run("decode", "one.bcp", "--mode", "minimal", "-o", "out.txt");
  assertEquals(io.files.get("out.txt"), toUtf8("[user] hi there"));
});
