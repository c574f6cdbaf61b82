// One codec per revision: the table of what each can say. Newer ones are written as what they add.

import type { Codec } from "./codec.ts";
import { createCodec } from "./codec.ts";
import type { ContentBlock } from "./model.ts";
import type { Revision } from "./revision.ts";
import type { Shape } from "./shape.ts";

type ContentType = ContentBlock["type"];

const SHAPE_2024_11_05: Shape = {
  revision: "2024-11-05",
  wire: "handshake",
  batches: false,
  content: new Set<ContentType>(["text", "image", "resource"]),
  toolAnnotations: false,
  titles: false,
  icons: false,
  structured: "none",
  progressMessage: false,
  completions: false,
  elicitation: "none",
  elicitationId: false,
  samplingTools: false,
  tasks: false,
  unreadableId: null,
  resourceNotFound: -32002,
};

const SHAPE_2025_03_26: Shape = {
  ...SHAPE_2024_11_05,
  revision: "2025-03-26",
  batches: true,
  content: new Set<ContentType>(["text", "image", "resource", "audio"]),
  toolAnnotations: true,
  progressMessage: true,
  completions: true,
};

const SHAPE_2025_06_18: Shape = {
  ...SHAPE_2025_03_26,
  revision: "2025-06-18",
  batches: false,
  content: new Set<ContentType>(["text", "image", "resource", "audio", "resource_link"]),
  titles: true,
  structured: "object",
  elicitation: "form",
};

const SHAPE_2025_11_25: Shape = {
  ...SHAPE_2025_06_18,
  revision: "2025-11-25",
  icons: true,
  elicitation: "form and url",
  elicitationId: true,
  samplingTools: true,
  unreadableId: undefined,
};

const SHAPE_2026_07_28: Shape = {
  ...SHAPE_2025_11_25,
  revision: "2026-07-28",
  wire: "stateless",
  structured: "any",
  elicitationId: false,
  tasks: true,
  resourceNotFound: -32602,
};

const CODECS: ReadonlyMap<Revision, Codec> = new Map(
  [SHAPE_2024_11_05, SHAPE_2025_03_26, SHAPE_2025_06_18, SHAPE_2025_11_25, SHAPE_2026_07_28]
    .map((shape) => [shape.revision, createCodec(shape)]),
);

/** The codec of a revision. */
export function getCodec(revision: Revision): Codec {
  const codec = CODECS.get(revision);
  if (codec === undefined) throw new RangeError(`Cannot find a codec for "${revision}"`);
  return codec;
}
