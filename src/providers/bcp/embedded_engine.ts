// The engine that needs no program: the codec in this process, worded as the `bcp` program words it.

import { runBcp } from "../../bcp/command.ts";
import type { CommandIo, ReadOutcome } from "../../bcp/command_line.ts";
import { decodePayload, type Payload } from "../../bcp/decode.ts";
import { BcpSyntaxError } from "../../bcp/error.ts";
import { toInspection, toStatsText, validatePayload } from "../../bcp/views.ts";
import { describeRenderFailure, renderBlocks } from "../../bcp/render.ts";
import type {
  BcpEngine,
  EncodeOutcome,
  EncodeRequest,
  EngineOutcome,
  OpenFile,
  ReadOptions,
} from "./engine.ts";

/** Where the encoder is told to write; what it writes there is kept in memory. */
const OUTPUT = "payload";

/** The codec as an engine. */
export class EmbeddedEngine implements BcpEngine {
  readonly kind = "embedded";

  /** Decodes and renders. */
  read(file: OpenFile, options: ReadOptions): Promise<EngineOutcome> {
    return withPayload(file, (payload) => {
      const { mode, verbosity, budget, include, blocks } = options;
      const outcome = renderBlocks(payload.blocks, {
        mode,
        ...(verbosity === undefined ? {} : { verbosity }),
        ...(budget === undefined ? {} : { budget }),
        ...(include === undefined ? {} : { include: new Set(include) }),
        ...(blocks === undefined ? {} : { indices: new Set(blocks) }),
      });
      if (outcome.kind !== "rendered") {
        return failed(`driver render failed: ${describeRenderFailure(outcome)}`);
      }
      const { text } = outcome;
      return { kind: "done", text: text.endsWith("\n") ? text : `${text}\n`, payload };
    });
  }

  /** Decodes and lists the blocks. */
  inspect(file: OpenFile): Promise<EngineOutcome> {
    return withPayload(file, (payload) => {
      const text = toInspection(payload, { fileBytes: file.bytes.length });
      return { kind: "done", text, payload };
    });
  }

  /** Decodes, and says how that went. */
  async validate(file: OpenFile): Promise<EngineOutcome> {
    const { kind, text } = await validatePayload(file.bytes);
    if (kind === "valid") return { kind: "done", text };
    return { kind: "failed", message: `${text}error: validation failed` };
  }

  /** Decodes and counts. */
  stats(file: OpenFile): Promise<EngineOutcome> {
    return withPayload(file, (payload) => {
      const text = toStatsText(payload, { path: file.name, bytes: file.bytes.length });
      return { kind: "done", text, payload };
    });
  }

  /** Runs `bcp encode` in this process; the files it reads come through the request. */
  async encode(request: EncodeRequest): Promise<EncodeOutcome> {
    const io = new EncodeIo(request);
    const compress = request.compress ? ["--compress-blocks"] : [];
    const argv = ["encode", "--output", OUTPUT, ...compress, "--", request.manifest.name];
    const exitCode = await runBcp(argv, io);
    return exitCode === 0 && io.written !== undefined
      ? { kind: "encoded", bytes: io.written }
      : { kind: "failed", message: io.errors.trimEnd() };
  }
}

/** Gives the encoder the manifest and what it names, and keeps the payload. */
class EncodeIo implements CommandIo {
  readonly #request: EncodeRequest;
  written: Uint8Array | undefined;
  errors = "";

  constructor(request: EncodeRequest) {
    this.#request = request;
  }

  async readFile(path: string): Promise<ReadOutcome> {
    const { manifest, readContent } = this.#request;
    if (path === manifest.name) return { kind: "read", bytes: manifest.bytes };
    const outcome = await readContent(path);
    if (outcome.kind === "read") return outcome;
    return { kind: "failed", reason: outcome.reason, isMissing: false };
  }

  writeFile(_path: string, bytes: Uint8Array): Promise<{ readonly kind: "written" }> {
    this.written = bytes;
    return Promise.resolve({ kind: "written" });
  }

  stdout(): void {}

  stderr(text: string): void {
    this.errors += text;
  }
}

async function withPayload(
  file: OpenFile,
  use: (payload: Payload) => EngineOutcome,
): Promise<EngineOutcome> {
  try {
    return use(await decodePayload(file.bytes));
  } catch (error) {
    if (!(error instanceof BcpSyntaxError)) throw error;
    return failed(`failed to decode ${file.name}: ${error.message}`);
  }
}

function failed(message: string): EngineOutcome {
  return { kind: "failed", message: `error: ${message}` };
}
