// Strict parser of permission manifests: JSONC text in, a frozen `Manifest` out, or one `ManifestSyntaxError` that
// names the place and the fix. Whatever it does not understand it refuses.

import { parse } from "@std/jsonc";
import { parseArgumentGrammar } from "./argument_grammar_parse.ts";
import { Fields } from "./fields.ts";
import { findEnvRuleProblem, findHostRuleProblem } from "./host_rule.ts";
import {
  DEFAULT_LIMITS,
  type DenyRules,
  LIMIT_RANGES,
  type Limits,
  type Manifest,
  type NetRule,
  type ProgramKind,
  type ProgramRules,
  PROTECTED_NAMES,
  type ServerRules,
} from "./manifest.ts";
import { ManifestSyntaxError } from "./manifest_syntax_error.ts";
import { findPathRuleProblem, hasControlCharacter } from "./path_rule.ts";

/** A manifest is written by a person; more than this is a mistake or an attack. */
const MAX_MANIFEST_CHARS = 256 * 1024;

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const COMMAND = /^(?:[A-Za-z0-9_][A-Za-z0-9_.+-]{0,127}|\/[^\s*?,:=~\\]+)$/;
const DENO_PACKAGE =
  /^(?:npm|jsr):(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*@\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\/[A-Za-z0-9._-]+)*$/;
const DENO_FILE = /^(?:\/|\$\{(?:roots|cwd)\}\/)[^\s*?,:=~\\]+\.(?:ts|js|mts|mjs)$/;
const SYS_NAMES = new Set([
  "cpus",
  "gid",
  "homedir",
  "hostname",
  "loadavg",
  "networkInterfaces",
  "osRelease",
  "osUptime",
  "systemMemoryInfo",
  "uid",
  "userInfo",
  "username",
]);

/**
 * Parses a manifest.
 *
 * @throws {ManifestSyntaxError} for anything but a complete, well-typed and narrow manifest.
 */
export function parseManifest(text: string): Manifest {
  if (text.length > MAX_MANIFEST_CHARS) {
    throw new ManifestSyntaxError("", `Text is longer than ${MAX_MANIFEST_CHARS} characters`);
  }
  const fields = new Fields(parseJson(text), "");
  fields.text("$schema", "");
  const mode = fields.text("mode");
  if (!NAME.test(mode)) throw new ManifestSyntaxError("/mode", nameProblem(mode));
  const manifest: Manifest = {
    mode,
    description: fields.text("description", ""),
    server: parseServer(fields.section("server")),
    programs: parsePrograms(fields.section("programs")),
  };
  fields.rejectUnknown();
  return Object.freeze(manifest);
}

function parseJson(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    // Not only a SyntaxError: a recursive parser ends in a RangeError when the document is deep enough.
    throw new ManifestSyntaxError("", `Text is not JSON with comments: ${error}`, {
      cause: error,
    });
  }
}

function parseServer(fields: Fields): ServerRules {
  const server: ServerRules = {
    run: fields.texts("run", findCommandProblem),
    read: fields.texts("read", findPathRuleProblem),
    write: fields.texts("write", findPathRuleProblem),
    net: fields.texts("net", findHostRuleProblem),
    env: fields.texts("env", findServerEnvProblem),
  };
  fields.rejectUnknown();
  return Object.freeze(server);
}

function parsePrograms(fields: Fields): ReadonlyMap<string, ProgramRules> {
  const programs = new Map<string, ProgramRules>();
  for (const name of fields.names()) {
    if (!NAME.test(name)) throw new ManifestSyntaxError(fields.at(name), nameProblem(name));
    programs.set(name, parseProgram(new Fields(fields.find(name), fields.at(name))));
  }
  return programs;
}

function parseProgram(fields: Fields): ProgramRules {
  const kind = fields.choice("kind", ["native", "deno"], "native");
  const program: ProgramRules = {
    kind,
    command: parseCommand(fields, kind),
    sha256: parsePin(fields),
    arguments: parseArgumentGrammar(fields),
    read: fields.texts("read", findPathRuleProblem),
    write: fields.texts("write", findPathRuleProblem),
    net: parseNet(fields, kind),
    env: fields.texts("env", findEnvRuleProblem),
    run: parseDenoOnly(fields, "run", kind, findCommandProblem),
    sys: parseDenoOnly(
      fields,
      "sys",
      kind,
      (name) => SYS_NAMES.has(name) ? undefined : `Unknown system fact ${JSON.stringify(name)}`,
    ),
    unprotect: fields.texts(
      "unprotect",
      (name) =>
        PROTECTED_NAMES.includes(name)
          ? undefined
          : `Name ${JSON.stringify(name)} is not protected; use one of ${
            PROTECTED_NAMES.join(", ")
          }`,
    ),
    deny: parseDeny(fields.section("deny")),
    limits: parseLimits(fields.section("limits")),
    sandbox: fields.choice("sandbox", ["require", "auto", "off"], "require"),
    unleashed: fields.flag("unleashed"),
  };
  fields.rejectUnknown();
  if (program.unleashed && program.sandbox !== "off") {
    throw new ManifestSyntaxError(
      fields.at("unleashed"),
      'A sandbox is a leash too; write "sandbox": "off", or remove it',
    );
  }
  return Object.freeze(program);
}

function parseCommand(fields: Fields, kind: ProgramKind): string {
  const command = fields.text("command");
  const problem = kind === "native" ? findCommandProblem(command) : findModuleProblem(command);
  if (problem !== undefined) throw new ManifestSyntaxError(fields.at("command"), problem);
  return command;
}

function parsePin(fields: Fields): string | undefined {
  const value = fields.find("sha256");
  if (value === undefined) return undefined;
  if (!/^[0-9a-f]{64}$/.test(fields.text("sha256"))) {
    throw new ManifestSyntaxError(fields.at("sha256"), "Expected 64 hexadecimal digits, a-f small");
  }
  if (!/^(?:\/|\$\{)/.test(fields.text("command"))) {
    throw new ManifestSyntaxError(
      fields.at("sha256"),
      "Only a file can be pinned; name the command by its absolute path",
    );
  }
  return fields.text("sha256");
}

function parseNet(fields: Fields, kind: ProgramKind): NetRule {
  const value = fields.find("net");
  if (value === "all") {
    if (kind === "native") return "all";
    throw new ManifestSyntaxError(
      fields.at("net"),
      "The whole network is too broad; list the hosts",
    );
  }
  const hosts = fields.texts("net", findHostRuleProblem);
  if (kind === "native" && hosts.length > 0) {
    throw new ManifestSyntaxError(
      fields.at("net"),
      'No sandbox can limit a native program to hosts; write "all" to grant the whole network, or use kind "deno"',
    );
  }
  return hosts;
}

function parseDenoOnly(
  fields: Fields,
  name: string,
  kind: ProgramKind,
  findProblem: (text: string) => string | undefined,
): readonly string[] {
  const texts = fields.texts(name, findProblem);
  if (kind === "native" && texts.length > 0) {
    throw new ManifestSyntaxError(
      fields.at(name),
      'Only kind "deno" can be limited this way; remove it',
    );
  }
  return texts;
}

function parseDeny(fields: Fields): DenyRules {
  const deny: DenyRules = {
    read: fields.texts("read", findDenyPathProblem),
    write: fields.texts("write", findDenyPathProblem),
    net: fields.texts("net", findHostRuleProblem),
    env: fields.texts("env", findServerEnvProblem),
  };
  fields.rejectUnknown();
  return Object.freeze(deny);
}

function parseLimits(fields: Fields): Limits {
  const at = (name: keyof Limits) => fields.integer(name, LIMIT_RANGES[name], DEFAULT_LIMITS[name]);
  const limits: Limits = {
    timeoutMs: at("timeoutMs"),
    graceMs: at("graceMs"),
    maxStdoutBytes: at("maxStdoutBytes"),
    maxStderrBytes: at("maxStderrBytes"),
    maxConcurrent: at("maxConcurrent"),
    maxProcesses: at("maxProcesses"),
    tmpBytes: at("tmpBytes"),
    maxMemoryBytes: at("maxMemoryBytes"),
    maxCpuSeconds: at("maxCpuSeconds"),
    maxFileBytes: at("maxFileBytes"),
  };
  fields.rejectUnknown();
  return Object.freeze(limits);
}

function findCommandProblem(command: string): string | undefined {
  if (
    !COMMAND.test(command) || hasControlCharacter(command) || /\/(?:\.{0,2}(?:\/|$))/.test(command)
  ) {
    return `Command ${
      JSON.stringify(command)
    } is not a program name or an absolute path in normal form`;
  }
  return undefined;
}

function findModuleProblem(command: string): string | undefined {
  if (DENO_PACKAGE.test(command)) return undefined;
  if (DENO_FILE.test(command) && !hasControlCharacter(command) && !/\/\.{0,2}\//.test(command)) {
    return undefined;
  }
  return `Command ${
    JSON.stringify(command)
  } is neither a package with an exact version, such as "npm:name@1.2.3", nor the absolute path of a module`;
}

/** A deny may be as broad as it likes; only its spelling is checked. */
function findDenyPathProblem(rule: string): string | undefined {
  return findPathRuleProblem(rule === "/" ? "/denied" : rule + "/denied");
}

/** The server may read loader variables such as `PATH` to find programs; it never passes them on. */
function findServerEnvProblem(name: string): string | undefined {
  return name === "PATH" || name === "DENO_DIR" ? undefined : findEnvRuleProblem(name);
}

function nameProblem(name: string): string {
  return `Name ${
    JSON.stringify(name)
  } must begin with a letter and hold only a-z, 0-9, "_" and "-"`;
}
