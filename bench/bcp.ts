/**
 * Speed of the BCP codec in MB/s, and the two ratios that must hold: decoding an uncompressed payload
 * against `TextDecoder` over the same bytes, and the cost of a byte at 16 MiB against 1 MiB. That
 * second one compares equal work, 16 MiB as one payload or as sixteen, so that it shows the codec and
 * not the processor's cache. Needs no permission: `deno run bench/bcp.ts`.
 */
import type { Block } from "../src/bcp/block.ts";
import { decodePayload } from "../src/bcp/decode.ts";
import { type EncodeOptions, encodePayload } from "../src/bcp/encode.ts";
import { renderBlocks, type RenderOutcome } from "../src/bcp/render.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const SIZES = [10 * KIB, MIB, 16 * MIB] as const;
const BLOCK_BYTES = 256 * KIB;
/** Long enough to outlast a garbage collection, short enough for a whole run within a minute. */
const MEASURE_MS = 700;
const MAX_TEXT_DECODER_RATIO = 3;
const MAX_FLATNESS_RATIO = 1.5;

const PACKINGS: readonly { readonly name: string; readonly options: EncodeOptions }[] = [
  { name: "plain", options: {} },
  { name: "zstd blocks", options: { compressBlocks: true } },
  { name: "zstd payload", options: { compressPayload: true } },
];

/** One thing to do with blocks, or with the payload made of them. */
type Step = (blocks: readonly Block[], bytes: Uint8Array, options: EncodeOptions) => unknown;

const STEPS: Readonly<Record<string, Step>> = {
  // The yardstick: what the memory itself does with a payload of this size.
  "bare copy": (_blocks, bytes) => bytes.slice(),
  "encode": (blocks, _bytes, options) => encodePayload(blocks, options),
  "decode": (_blocks, bytes) => decodePayload(bytes),
  "render": (blocks) => readText(renderBlocks(blocks)),
  "decode + render": async (_, bytes) =>
    readText(renderBlocks((await decodePayload(bytes)).blocks)),
};

await main();

async function main(): Promise<void> {
  print("step             packing       " + SIZES.map((s) => formatSize(s).padStart(14)).join(""));
  const ratios: string[] = [];
  for (const { name, options } of PACKINGS) {
    const payloads = SIZES.map((size) => {
      const blocks = makeBlocks(size);
      return { size, blocks, bytes: encodePayload(blocks, options) };
    });
    for (const [step, run] of Object.entries(STEPS)) {
      const speeds: string[] = [];
      for (const { size, blocks, bytes } of payloads) {
        const ms = await measure(() => run(blocks, bytes, options));
        speeds.push(formatSpeed(ms / size).padStart(14));
        if (name === "plain" && step.startsWith("decode")) {
          const decoder = new TextDecoder();
          const label = `${step} / TextDecoder, ${formatSize(size)}`;
          const baseline = await measure(() => decoder.decode(bytes));
          ratios.push(ratioLine(label, ms / baseline, MAX_TEXT_DECODER_RATIO));
        }
      }
      print(step.padEnd(17) + name.padEnd(14) + speeds.join(""));
      const [, small, large] = payloads;
      const one = await measure(() => run(large!.blocks, large!.bytes, options));
      const sixteen = await measure(async () => {
        const results: unknown[] = [];
        for (let i = 0; i < 16; i++) results.push(await run(small!.blocks, small!.bytes, options));
        return results;
      });
      ratios.push(ratioLine(`${step}, ${name}: 16 MiB / 1 MiB`, one / sixteen, MAX_FLATNESS_RATIO));
    }
  }
  print("\nratio                                          measured   at most");
  for (const line of ratios) print(line);
}

/** The finished text; reading it makes the runtime lay it out, which rendering leaves to later. */
function readText(outcome: RenderOutcome): string {
  if (outcome.kind !== "rendered") throw new Error(`Cannot render: ${outcome.kind}`);
  outcome.text.charCodeAt(outcome.text.length - 1);
  return outcome.text;
}

/** Milliseconds of the fastest run: the one number that other programs on the machine do not worsen. */
async function measure(run: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  const end = performance.now() + MEASURE_MS;
  for (let i = 0; i < 5 || performance.now() < end; i++) {
    const start = performance.now();
    await run();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

/** Code blocks of varied, code-like text, `size` bytes in all. */
function makeBlocks(size: number): readonly Block[] {
  const words = ["const", "return", "await", "payload", "index", "(value)", "=>", "{", "}", "1024"];
  const lines: string[] = [];
  let seed = 1;
  for (let length = 0; length < Math.min(size, BLOCK_BYTES);) {
    const line: string[] = ["  ".repeat(seed % 4)];
    for (let i = 0; i < 8; i++) {
      seed = (seed * 48271) % 0x7fffffff;
      line.push(words[seed % words.length]!, String(seed % 997));
    }
    lines.push(line.join(" "));
    length += lines.at(-1)!.length + 1;
  }
  const content = new TextEncoder().encode(lines.join("\n")).subarray(0, BLOCK_BYTES);
  const count = Math.max(1, Math.round(size / BLOCK_BYTES));
  return Array.from({ length: count }, (_, i) => {
    // Every block its own bytes: equal ones would flatter the whole-payload compression.
    const own = content.map((byte, at) => at % 61 === 0 ? 97 + (i + at) % 26 : byte);
    return { kind: "code", lang: 2, path: `src/file_${i}.ts`, content: own };
  });
}

function formatSpeed(msPerByte: number): string {
  return `${Math.round(1 / msPerByte / 1000).toLocaleString("en")} MB/s`;
}

function formatSize(size: number): string {
  return size < MIB ? `${size / KIB} KiB` : `${size / MIB} MiB`;
}

function ratioLine(name: string, ratio: number, limit: number): string {
  const verdict = ratio <= limit ? "ok" : "OVER";
  return `${name.padEnd(46)} ${ratio.toFixed(3).padStart(8)} ${
    limit.toFixed(1).padStart(9)
  }  ${verdict}`;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
