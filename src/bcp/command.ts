/**
 * The `bcp` program as a function: arguments in, exit code out, files and texts through what the caller
 * gives it. Flags, output and exit codes are those of the reference program.
 */
import { runDecode } from "./command_decode.ts";
import { parseStore, runEncode } from "./command_encode.ts";
import { CommandFailure, type CommandIo, readFile } from "./command_io.ts";
import { type CommandCall, parseCommandLine } from "./command_line.ts";
import { type DecodeOptions, decodePayload, type Payload } from "./decode.ts";
import { BcpSyntaxError } from "./error.ts";
import { toInspection } from "./inspect.ts";
import { toStatsText } from "./stats.ts";
import { validatePayload } from "./validate.ts";

/** The command did what was asked. */
const EXIT_OK = 0;
/** The command failed and said why. */
const EXIT_FAILED = 1;
/** The command line was wrong. */
const EXIT_USAGE = 2;

/** Runs `bcp` with the arguments after its name and returns its exit code. */
export async function runBcp(argv: readonly string[], io: CommandIo): Promise<number> {
  const line = parseCommandLine(argv);
  if (line.kind === "show") {
    io.stdout(line.text);
    return EXIT_OK;
  }
  if (line.kind === "wrong") {
    io.stderr(line.text);
    return EXIT_USAGE;
  }
  try {
    const text = await runCall(line, io);
    if (text !== "") io.stdout(text);
    return EXIT_OK;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    io.stderr(`error: ${error.message}\n`);
    return EXIT_FAILED;
  }
}

/** Runs one command; returns what it prints when it succeeds. */
async function runCall(call: CommandCall, io: CommandIo): Promise<string> {
  const { command, file, switches, values } = call;
  if (command === "encode") return await runEncode(call, io);
  const bytes = await readFile(io, file);
  const options = await openStore(values.get("store"), io);
  if (command === "validate") {
    const validation = await validatePayload(bytes, options);
    if (validation.kind === "valid") return validation.text;
    io.stdout(validation.text);
    throw new CommandFailure("validation failed", { cause: validation.error });
  }
  const payload = await decode(file, bytes, options);
  switch (command) {
    case "decode":
      return await runDecode(payload, call, io);
    case "stats":
      return toStatsText(payload, { path: file, bytes: bytes.length });
    case "inspect": {
      const block = values.get("block");
      return toInspection(payload, {
        fileBytes: bytes.length,
        showBody: switches.has("show-body"),
        showHex: switches.has("show-hex"),
        ...(block === undefined ? {} : { block: Number(block) }),
      });
    }
  }
}

async function openStore(path: string | undefined, io: CommandIo): Promise<DecodeOptions> {
  return path === undefined ? {} : { store: parseStore(path, await readFile(io, path)) };
}

async function decode(file: string, bytes: Uint8Array, options: DecodeOptions): Promise<Payload> {
  try {
    return await decodePayload(bytes, options);
  } catch (error) {
    if (!(error instanceof BcpSyntaxError)) throw error;
    throw new CommandFailure(`failed to decode ${file}: ${error.message}`, { cause: error });
  }
}
