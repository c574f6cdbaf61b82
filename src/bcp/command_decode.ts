/** `bcp decode`: payload → text. Options are checked only after the payload decoded, as in the reference. */
import type { KnownBlockKind } from "./block.ts";
import { findBlockKind } from "./block_type.ts";
import type { Verbosity } from "./budget.ts";
import { CommandFailure, type CommandIo, writeFile } from "./command_io.ts";
import type { CommandCall } from "./command_line.ts";
import type { Payload } from "./decode.ts";
import { describeRenderFailure, renderBlocks, type RenderMode } from "./render.ts";
import { quote, toUtf8 } from "./text.ts";

const MODES: ReadonlyMap<string, RenderMode> = new Map<string, RenderMode>([
  ["xml", "xml"],
  ["markdown", "markdown"],
  ["md", "markdown"],
  ["minimal", "minimal"],
]);
const VERBOSITIES: ReadonlyMap<string, Verbosity> = new Map<string, Verbosity>([
  ["full", "full"],
  ["summary", "summary"],
  ["adaptive", "adaptive"],
]);

/** Runs `bcp decode` on a decoded payload; returns what it prints. */
export async function runDecode(
  payload: Payload,
  call: CommandCall,
  io: CommandIo,
): Promise<string> {
  const mode = parseMode(call.values.get("mode") ?? "xml");
  const verbosity = parseVerbosity(call.values.get("verbosity") ?? "adaptive");
  const list = call.values.get("include");
  const budget = call.values.get("budget");
  const outcome = renderBlocks(payload.blocks, {
    mode,
    verbosity,
    ...(list === undefined ? {} : { include: parseInclude(list) }),
    ...(budget === undefined ? {} : { budget: Number(budget) }),
  });
  if (outcome.kind !== "rendered") {
    throw new CommandFailure(`driver render failed: ${describeRenderFailure(outcome)}`);
  }
  const output = call.values.get("output");
  if (output !== undefined) {
    await writeFile(io, output, toUtf8(outcome.text));
    return "";
  }
  return outcome.text.endsWith("\n") ? outcome.text : `${outcome.text}\n`;
}

function parseMode(text: string): RenderMode {
  const mode = MODES.get(text.toLowerCase());
  if (mode !== undefined) return mode;
  throw new CommandFailure(`unknown mode ${quote(text)} — expected xml|markdown|minimal`);
}

function parseVerbosity(text: string): Verbosity {
  const verbosity = VERBOSITIES.get(text.toLowerCase());
  if (verbosity !== undefined) return verbosity;
  throw new CommandFailure(`unknown verbosity ${quote(text)} — expected full|summary|adaptive`);
}

function parseInclude(list: string): ReadonlySet<KnownBlockKind> {
  const kinds = new Set<KnownBlockKind>();
  for (const item of list.split(",").map((part) => part.trim())) {
    if (item === "") continue;
    const kind = findBlockKind(item);
    if (kind === undefined) throw new CommandFailure(`unknown block type ${quote(item)}`);
    kinds.add(kind);
  }
  return kinds;
}
