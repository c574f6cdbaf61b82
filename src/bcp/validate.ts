/** The `validate` view: four ticks, or the first thing that is wrong. */
import { type DecodeOptions, decodePayload } from "./decode.ts";
import { BcpSyntaxError } from "./error.ts";
import { countBlocks } from "./inspect.ts";

/** Whether a payload is sound, and the text of `bcp validate` that says so. */
export type Validation =
  | { readonly kind: "valid"; readonly text: string; readonly blocks: number }
  | { readonly kind: "invalid"; readonly text: string; readonly error: BcpSyntaxError };

/** Decodes the whole payload and reports how that went. */
export async function validatePayload(
  bytes: Uint8Array,
  options: DecodeOptions = {},
): Promise<Validation> {
  try {
    const { header, blocks } = await decodePayload(bytes, options);
    const text = [
      `✓ Header: valid (BCP v${header.major}.${header.minor})`,
      `✓ Blocks: ${countBlocks(blocks.length)} parsed successfully`,
      "✓ Sentinel: END block present",
      "✓ Integrity: all block bodies parse without error",
      "",
    ].join("\n");
    return { kind: "valid", text, blocks: blocks.length };
  } catch (error) {
    if (!(error instanceof BcpSyntaxError)) throw error;
    return { kind: "invalid", text: `✗ Error: ${error.validation}\n`, error };
  }
}
