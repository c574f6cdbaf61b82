// The blocks of a payload as structured content, bounded: a model that wants more asks for blocks by index.

import { decodePayload, type Payload } from "../../bcp/decode.ts";
import { BcpSyntaxError } from "../../bcp/error.ts";
import { type BlockOutline, outlineBlocks } from "../../bcp/views.ts";

/** What structured content says about a payload. */
export type PayloadOutline = {
  readonly blockCount: number;
  readonly contentBytes: number;
  readonly tokens: number;
  readonly blocks: readonly OutlineEntry[];
};

/** One block without its content, as JSON. */
type OutlineEntry = { readonly [Key in keyof BlockOutline]: BlockOutline[Key] };

/** Beyond this a list of blocks is no outline any more. */
const MAX_BLOCKS = 1000;

/** A summary is content too; its start is enough to choose by. */
const MAX_SUMMARY_CHARS = 500;

/** The outline of a payload, decoded already or not; `undefined` when it does not decode. */
export async function outlineFile(
  bytes: Uint8Array,
  payload?: Payload,
): Promise<PayloadOutline | undefined> {
  try {
    return toOutline(payload ?? await decodePayload(bytes));
  } catch (error) {
    if (!(error instanceof BcpSyntaxError)) throw error;
    return undefined;
  }
}

function toOutline(payload: Payload): PayloadOutline {
  const all = outlineBlocks(payload.blocks);
  return {
    blockCount: all.length,
    contentBytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
    blocks: all.slice(0, MAX_BLOCKS).map(({ summary, ...block }) =>
      summary === undefined ? block : { ...block, summary: summary.slice(0, MAX_SUMMARY_CHARS) }
    ),
  };
}
