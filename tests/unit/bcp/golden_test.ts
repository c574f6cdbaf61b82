/**
 * The reference's golden payloads: each decodes, renders to the stored text in every mode, and
 * re-encodes byte for byte. They lie outside the project and are skipped, aloud, when absent.
 */
import { assertEquals } from "@std/assert";
import { decodePayload } from "../../../src/bcp/decode.ts";
import { encodePayload } from "../../../src/bcp/encode.ts";
import { MemoryIo } from "./memory_io.ts";
import { RENDER_MODES, renderBlocks } from "../../../src/bcp/render.ts";

const GOLDEN = new URL("../../../../shared/data/bcp/", import.meta.url);
const PAYLOADS = [
  "simple_code",
  "conversation",
  "mixed_blocks",
  "with_summaries",
  "edge_cases/empty_content",
  "edge_cases/unknown_block_type",
] as const;

const isPresent = isDirectory(GOLDEN);
if (!isPresent) {
  Deno.stderr.writeSync(
    new TextEncoder().encode(`golden payloads skipped: no ${GOLDEN.pathname}\n`),
  );
}

for (const name of PAYLOADS) {
  const title = `decodePayload(), encodePayload() and renderBlocks() reproduce golden ${name}`;
  Deno.test({ name: title, ignore: !isPresent }, async (t) => {
    const bytes = await Deno.readFile(new URL(`golden/${name}/payload.bcp`, GOLDEN));
    const payload = await decodePayload(bytes);
    await t.step("re-encodes byte for byte", () => {
      assertEquals(encodePayload(payload.blocks), bytes);
    });
    const manifest = new URL(`golden/${name}/manifest.json`, GOLDEN);
    if (name !== "edge_cases/unknown_block_type") {
      await t.step("is what `bcp encode` makes of its manifest", async () => {
        const io = new MemoryIo({ "manifest.json": await Deno.readFile(manifest) });
        await io.run("encode", "manifest.json", "-o", "payload.bcp");
        assertEquals(io.files.get("payload.bcp"), bytes);
      });
    }
    for (const mode of RENDER_MODES) {
      const stored = new URL(`rendered/${name}.${mode}.txt`, GOLDEN);
      if (name.includes("/")) continue;
      await t.step(`renders as ${mode}`, async () => {
        const outcome = renderBlocks(payload.blocks, { mode });
        const text = outcome.kind === "rendered" ? outcome.text : outcome.kind;
        assertEquals(trimNewlines(text), trimNewlines(await Deno.readTextFile(stored)));
      });
    }
  });
}

function trimNewlines(text: string): string {
  return text.replace(/\n+$/, "");
}

function isDirectory(url: URL): boolean {
  try {
    return Deno.statSync(url).isDirectory;
  } catch {
    return false;
  }
}
