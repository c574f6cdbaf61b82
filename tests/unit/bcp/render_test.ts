/** Rendering: what cannot be shown, every template in every mode, selection, verbosity, budget. */
import { assertEquals } from "@std/assert";
import type { Block } from "../../../src/bcp/block.ts";
import { toPriorityAnnotation } from "../../../src/bcp/encode.ts";
import type { PriorityName } from "../../../src/bcp/names.ts";
import {
  describeRenderFailure,
  renderBlocks,
  type RenderMode,
  type RenderOptions,
} from "../../../src/bcp/render.ts";
import { toUtf8 } from "../../../src/bcp/bytes.ts";

const BINARY: Block = { kind: "image", media: "png", alt: "x", content: Uint8Array.of(0x89) };
const TURN: Block = { kind: "conversation", role: "tool", content: toUtf8("hi") };

Deno.test("renderBlocks() reports what it cannot show", async (t) => {
  const note = toPriorityAnnotation(0, "low");
  const cases = [
    { name: "nothing", blocks: [], failure: "no blocks to render" },
    { name: "annotations only", blocks: [note], failure: "no blocks to render" },
    {
      name: "binary content, counted without annotations",
      blocks: [note, TURN, note, BINARY],
      failure: "invalid UTF-8 in block content at index 1",
    },
  ] as const;
  for (const { name, blocks, failure } of cases) {
    await t.step(name, () => {
      const outcome = renderBlocks(blocks);
      assertEquals(outcome.kind === "rendered" ? "" : describeRenderFailure(outcome), failure);
    });
  }
});

const TEMPLATES: readonly {
  readonly block: Block;
  readonly xml: string;
  readonly markdown: string;
  readonly minimal: string;
}[] = [
  {
    block: { kind: "code", lang: 2, path: 'a&<>".ts', content: toUtf8("</code>") },
    xml: '<code lang="typescript" path="a&amp;&lt;&gt;&quot;.ts">\n</code>\n</code>',
    markdown: '## a&<>".ts\n\n```typescript\n</code>\n```',
    minimal: '--- a&<>".ts [typescript] ---\n</code>',
  },
  {
    block: { kind: "code", lang: 255, path: "x", content: toUtf8("") },
    xml: '<code lang="text" path="x">\n\n</code>',
    markdown: "## x\n\n```text\n\n```",
    minimal: "--- x [text] ---\n",
  },
  {
    block: { kind: "conversation", role: "assistant", content: toUtf8("a\nb") },
    xml: '<turn role="assistant">a\nb</turn>',
    markdown: "**Assistant**: a\nb",
    minimal: "[assistant] a\nb",
  },
  {
    block: { kind: "file_tree", root: "<r>", entries: [] },
    xml: '<tree root="&lt;r&gt;">\n</tree>',
    markdown: "### File Tree: <r>\n\n```\n```",
    minimal: "--- tree: <r> ---\n",
  },
  {
    block: {
      kind: "file_tree",
      root: "/",
      entries: [
        {
          name: "d",
          kind: "directory",
          size: 5n,
          children: [{ name: "f", kind: "file", size: 1n, children: [] }],
        },
        {
          name: "g",
          kind: "file",
          size: 0n,
          children: [{ name: "never", kind: "file", size: 1n, children: [] }],
        },
      ],
    },
    xml: '<tree root="/">\nd/\n  f (1 bytes)\ng (0 bytes)\n</tree>',
    markdown: "### File Tree: /\n\n```\nd/\n  f (1 bytes)\ng (0 bytes)\n```",
    minimal: "--- tree: / ---\nd/\n  f (1 bytes)\ng (0 bytes)\n",
  },
  {
    block: { kind: "tool_result", name: '"t"', status: "error", content: toUtf8("e") },
    xml: '<tool name="&quot;t&quot;" status="error">\ne\n</tool>',
    markdown: '### Tool: "t" (error)\n\ne',
    minimal: '--- "t" [error] ---\ne',
  },
  {
    block: { kind: "document", title: "T", content: toUtf8("d"), format: "plain" },
    xml: '<doc title="T" format="plain">\nd\n</doc>',
    markdown: "### Document: T [plain]\n\nd",
    minimal: "--- T ---\nd",
  },
  {
    block: { kind: "structured_data", format: "csv", schema: "hidden", content: toUtf8("a,b") },
    xml: '<data format="csv">\na,b\n</data>',
    markdown: "```csv\na,b\n```",
    minimal: "--- data [csv] ---\na,b",
  },
  {
    block: {
      kind: "diff",
      path: "p",
      hunks: [
        { oldStart: 1, newStart: 1, lines: toUtf8("-a\n") },
        { oldStart: 9, newStart: 9, lines: Uint8Array.of(0x2b, 0xff) },
      ],
    },
    xml: '<diff path="p">\n-a\n+\ufffd</diff>',
    markdown: "### Diff: p\n\n```diff\n-a\n+\ufffd```",
    minimal: "--- diff: p ---\n-a\n+\ufffd",
  },
  {
    block: { kind: "embedding_ref", vectorId: toUtf8("v"), sourceHash: toUtf8("h"), model: "m&" },
    xml: '<embed-ref model="m&amp;" />',
    markdown: "*[Embedding ref: model=m&]*",
    minimal: "[embed-ref: m&]",
  },
  {
    block: { kind: "image", media: "webp", alt: "A", content: toUtf8("https://x") },
    xml: '<image type="webp" alt="A">\nhttps://x\n</image>',
    markdown: "### Image (webp): A\n\nhttps://x",
    minimal: "--- image [webp]: A ---\nhttps://x",
  },
  {
    block: { kind: "extension", namespace: "n&", typeName: "t", content: toUtf8("e") },
    xml: '<ext ns="n&amp;" type="t">\ne\n</ext>',
    markdown: "### Extension: n&/t\n\ne",
    minimal: "--- ext: n&/t ---\ne",
  },
  {
    block: { kind: "unknown", type: 0x0b, content: Uint8Array.of(0x61, 0xff) },
    xml: "<!-- unknown block type 0x0B -->\na\ufffd",
    markdown: "<!-- unknown block type 0x0B -->\na\ufffd",
    minimal: "--- unknown 0x0B ---\na\ufffd",
  },
];

Deno.test("renderBlocks() words every kind in every mode", async (t) => {
  for (const { block, ...texts } of TEMPLATES) {
    await t.step(block.kind, () => {
      assertEquals(render([block], { mode: "xml" }), `<context>\n${texts.xml}\n</context>`);
      assertEquals(render([block], { mode: "markdown" }), texts.markdown);
      assertEquals(render([block], { mode: "minimal" }), texts.minimal);
    });
  }
});

Deno.test("renderBlocks() shortens code only, and never calls a summary what has none", () => {
  const code: Block = { kind: "code", lang: 1, path: "a", content: BINARY.content, summary: "s" };
  const texts: Record<RenderMode, string> = {
    xml: '<context>\n<code lang="rust" path="a" summary="true">\ns\n</code>\n</context>',
    markdown: "## a (summary)\n\ns",
    minimal: "--- a [rust] (summary) ---\ns",
  };
  for (const mode of ["xml", "markdown", "minimal"] as const) {
    assertEquals(render([code], { mode, verbosity: "summary" }), texts[mode]);
  }
  const turn = { ...TURN, summary: "s" };
  assertEquals(render([turn], { mode: "minimal", verbosity: "summary" }), "[tool] hi");
});

Deno.test("renderBlocks() selects by kind and by index of the payload", () => {
  const blocks: readonly Block[] = [TURN, toPriorityAnnotation(0, "low"), BINARY, {
    kind: "unknown",
    type: 0x42,
    content: toUtf8("u"),
  }];
  assertEquals(render(blocks, { mode: "minimal", indices: new Set([0, 1]) }), "[tool] hi");
  assertEquals(
    render(blocks, { mode: "minimal", indices: new Set([3]) }),
    "--- unknown 0x42 ---\nu",
  );
  assertEquals(
    render(blocks, { mode: "minimal", include: new Set(["conversation"]) }),
    "[tool] hi",
  );
  assertEquals(renderBlocks(blocks, { include: new Set() }), { kind: "empty" });
});

/** One code block of 25 tokens (100 bytes), optionally with a summary of 5. */
const BUDGETS = [
  { priority: "critical", budget: 0, shown: "full" },
  { priority: "critical", budget: 0, summary: true, shown: "full" },
  { priority: "high", budget: 25, summary: true, shown: "full" },
  { priority: "high", budget: 24, summary: true, shown: "summary" },
  { priority: "high", budget: 4, summary: true, shown: "full" },
  { priority: "high", budget: 0, shown: "full" },
  { priority: "normal", budget: 25, shown: "full" },
  { priority: "normal", budget: 24, shown: "placeholder" },
  { priority: "normal", budget: 5, summary: true, shown: "summary" },
  { priority: "normal", budget: 4, summary: true, shown: "placeholder" },
  { priority: "low", budget: 1_000_000, shown: "placeholder" },
  { priority: "low", budget: 1_000_000, summary: true, shown: "summary" },
  { priority: "low", budget: 4, summary: true, shown: "placeholder" },
  { priority: "background", budget: 1_000_000, summary: true, shown: "placeholder" },
  { priority: "background", budget: 10, shown: "placeholder" },
  { priority: "background", budget: 9, shown: "omit" },
] as const;

Deno.test("renderBlocks() spends a budget by priority", async (t) => {
  const shapes = {
    full: `--- p [text] ---\n${"x".repeat(100)}`,
    summary: `--- p [text] (summary) ---\n${"s".repeat(20)}`,
    placeholder: "[omitted: code p ~25tok]",
    omit: undefined,
  } as const;
  for (const row of BUDGETS) {
    const { priority, budget, shown } = row;
    const hasSummary = "summary" in row;
    await t.step(`${priority}, ${budget}${hasSummary ? ", summary" : ""}: ${shown}`, () => {
      const blocks = [codeOf(100, hasSummary), toPriorityAnnotation(0, priority)];
      assertEquals(render(blocks, { mode: "minimal", budget }), shapes[shown]);
    });
  }
});

Deno.test("renderBlocks() lets important blocks choose first and keeps the order", () => {
  const blocks = [
    codeOf(40),
    ...prioritized(codeOf(40), 1, "background"),
    ...prioritized(codeOf(40), 3, "critical"),
  ];
  const text = render(blocks, { mode: "minimal", budget: 20 });
  const full = `--- p [text] ---\n${"x".repeat(40)}`;
  assertEquals(text, `${full}\n\n${full}`);
});

Deno.test("renderBlocks() believes the last valid priority annotation", () => {
  const invalid: Block = {
    kind: "annotation",
    target: 0,
    annotation: "priority",
    value: Uint8Array.of(6),
  };
  const blocks = [
    codeOf(100),
    toPriorityAnnotation(0, "low"),
    toPriorityAnnotation(0, "critical"),
    invalid,
    { ...invalid, value: new Uint8Array() },
    { ...invalid, annotation: "tag", value: Uint8Array.of(5) } as const,
  ];
  assertEquals(render(blocks, { mode: "minimal", budget: 1 })?.includes("xxx"), true);
});

Deno.test("renderBlocks() describes every kind it leaves out", () => {
  const texts = TEMPLATES.map(({ block }) => {
    const options = { mode: "minimal", budget: 100 } as const;
    return render([block, toPriorityAnnotation(0, "low")], options);
  });
  assertEquals(texts, [
    '[omitted: code a&<>".ts ~1tok]',
    "[omitted: code x ~0tok]",
    "[omitted: conversation assistant turn ~1tok]",
    "[omitted: file-tree tree: <r> ~0tok]",
    "[omitted: file-tree tree: / ~9tok]",
    '[omitted: tool-result "t" ~1tok]',
    "[omitted: document T ~1tok]",
    "[omitted: data csv data ~1tok]",
    "[omitted: diff p ~1tok]",
    "[omitted: block embedding: m& ~3tok]",
    "[omitted: image A ~2tok]",
    "[omitted: extension n&/t ~1tok]",
    "[omitted: block unknown 0x0B ~1tok]",
  ]);
  const options = { budget: 1 } as const;
  const [first] = TEMPLATES;
  assertEquals(
    render([first!.block, toPriorityAnnotation(0, "low")], options),
    '<context>\n<omitted type="code" desc="a&<>".ts" tokens="1" />\n</context>',
  );
  assertEquals(
    render([first!.block, toPriorityAnnotation(0, "low")], { ...options, mode: "markdown" }),
    '_[Omitted: code a&<>".ts, ~1 tokens]_',
  );
});

function render(blocks: readonly Block[], options: RenderOptions): string | undefined {
  const outcome = renderBlocks(blocks, options);
  return outcome.kind === "rendered" ? outcome.text : undefined;
}

function codeOf(bytes: number, hasSummary = false): Block {
  const code = { kind: "code", lang: 255, path: "p", content: toUtf8("x".repeat(bytes)) } as const;
  return hasSummary ? { ...code, summary: "s".repeat(20) } : code;
}

function prioritized(block: Block, index: number, priority: PriorityName): readonly Block[] {
  return [block, toPriorityAnnotation(index, priority)];
}
