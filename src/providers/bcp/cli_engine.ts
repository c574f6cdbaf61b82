// The engine that lets the `bcp` program do the work, inside its compartment. The program reads below the roots and
// writes nowhere: a payload it encodes comes back through its stdout.

import { parseManifest } from "../../bcp/manifest.ts";
import { ManifestSyntaxError } from "../../bcp/json.ts";
import { findStrictText } from "../../bcp/bytes.ts";
import type { Launcher } from "../../process/launcher.ts";
import { describeOutcome, type Outcome } from "../../process/outcome.ts";
import type {
  BcpEngine,
  EncodeOutcome,
  EncodeRequest,
  EngineOutcome,
  EngineRun,
  OpenFile,
  ReadOptions,
} from "./engine.ts";

/** The program's name in the permission manifest. */
export const BCP_PROGRAM = "bcp";

/** A launcher that is bound to the grants of these roots. */
export type LauncherSource = (roots: readonly string[]) => Promise<Launcher>;

const STDOUT = "/dev/stdout";
const DECODER = new TextDecoder();

/** The `bcp` program as an engine. */
export class CliEngine implements BcpEngine {
  readonly kind = "cli";
  readonly #launchers: LauncherSource;

  /** Programs are started by the launchers it is given, and in no other way. */
  constructor(launchers: LauncherSource) {
    this.#launchers = launchers;
  }

  /** `bcp decode`. It has no selection by index, which the caller must not ask for. */
  read(file: OpenFile, options: ReadOptions, run: EngineRun): Promise<EngineOutcome> {
    const { mode, verbosity, budget, include } = options;
    return this.#print(file, [
      "decode",
      file.path,
      "--mode",
      mode,
      ...(budget === undefined ? [] : ["--budget", String(budget)]),
      ...(verbosity === undefined ? [] : ["--verbosity", verbosity]),
      ...(include === undefined ? [] : ["--include", include.join(",")]),
    ], run);
  }

  /** `bcp inspect`. */
  inspect(file: OpenFile, run: EngineRun): Promise<EngineOutcome> {
    return this.#print(file, ["inspect", file.path], run);
  }

  /** `bcp validate`. */
  validate(file: OpenFile, run: EngineRun): Promise<EngineOutcome> {
    return this.#print(file, ["validate", file.path], run);
  }

  /** `bcp stats`. */
  stats(file: OpenFile, run: EngineRun): Promise<EngineOutcome> {
    return this.#print(file, ["stats", file.path], run);
  }

  /** `bcp encode`, after every file that the manifest names was found to lie inside the roots. */
  async encode(request: EncodeRequest, run: EngineRun): Promise<EncodeOutcome> {
    const problem = await findContentProblem(request);
    if (problem !== undefined) return { kind: "failed", message: `error: ${problem}` };
    const { manifest, compress } = request;
    const args = ["encode", manifest.path, "-o", STDOUT];
    if (compress) args.push("--compress-blocks");
    const outcome = await this.#run(manifest, args, run);
    if (outcome.kind !== "exited" || outcome.code !== 0) {
      return { kind: "failed", message: describeFailure(outcome, manifest) };
    }
    const bytes = takePayload(outcome.stdout);
    return bytes === undefined
      ? { kind: "failed", message: "The bcp program did not write a payload to its stdout" }
      : { kind: "encoded", bytes };
  }

  async #print(
    file: OpenFile,
    args: readonly string[],
    run: EngineRun,
  ): Promise<EngineOutcome> {
    const outcome = await this.#run(file, args, run);
    if (outcome.kind !== "exited" || outcome.code !== 0) {
      return { kind: "failed", message: describeFailure(outcome, file) };
    }
    return { kind: "done", text: unname(DECODER.decode(outcome.stdout), file, "first") };
  }

  async #run(file: OpenFile, args: readonly string[], run: EngineRun): Promise<Outcome> {
    const launcher = await this.#launchers(file.roots);
    return await launcher.run({
      name: BCP_PROGRAM,
      args,
      ...(run.caller === undefined ? {} : { caller: run.caller }),
    }, run.signal);
  }
}

/** What the program said about its failure; where it could not say anything, what became of it. */
function describeFailure(outcome: Outcome, file: OpenFile): string {
  if (outcome.kind !== "exited") return describeOutcome(outcome);
  const said = DECODER.decode(outcome.stdout) + outcome.stderrTail;
  return unname(said, file, "all").trimEnd() || describeOutcome(outcome);
}

/** Puts the client's own spelling where the program printed the real path. Only `stats` prints it, once and first. */
function unname(text: string, file: OpenFile, where: "first" | "all"): string {
  if (where === "all") {
    return text.replaceAll(file.path, () => file.name)
      .replaceAll(folderOf(file.path), () => folderOf(file.name));
  }
  const head = `File:    ${file.path}  (`;
  return text.startsWith(head) ? `File:    ${file.name}  (${text.slice(head.length)}` : text;
}

/** Without a sandbox the program could read any file that a manifest names; so each is looked at before. */
async function findContentProblem(request: EncodeRequest): Promise<string | undefined> {
  const { manifest, readContent } = request;
  const text = findStrictText(manifest.bytes);
  if (text === undefined) {
    return `cannot read ${manifest.name}: stream did not contain valid UTF-8`;
  }
  try {
    for (const [index, { source }] of parseManifest(text).entries()) {
      if (source.content !== undefined || source.contentFile === undefined) continue;
      const name = joinName(manifest.name, source.contentFile);
      const outcome = await readContent(name);
      if (outcome.kind === "read") continue;
      const problem = `cannot read content_file ${name}: ${outcome.reason}`;
      return `block ${index}: failed to apply: ${problem}`;
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof ManifestSyntaxError)) throw error;
    return `failed to parse manifest ${manifest.name}: ${error.message}`;
  }
}

/** A name from the manifest's folder, as `bcp` itself joins it. */
function joinName(manifest: string, file: string): string {
  return file.startsWith("/") ? file : folderOf(manifest) + file;
}

/** With its slash; empty for a bare name. */
function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf("/") + 1);
}

/** The payload before the line `Wrote N bytes to /dev/stdout`, if that line is right about it. */
function takePayload(stdout: Uint8Array): Uint8Array | undefined {
  const tail = DECODER.decode(stdout.subarray(Math.max(0, stdout.length - 64)));
  const line = /Wrote (\d+) bytes to \/dev\/stdout\n$/.exec(tail);
  if (line === null) return undefined;
  const length = stdout.length - line[0].length;
  return length === Number(line[1]) ? stdout.subarray(0, length) : undefined;
}
