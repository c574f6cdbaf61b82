// The exact `deno run` flags of the server for one mode: what its manifest asks for, on these roots, and no more.

import { expandPathRule, type PathVariables } from "../permission/path_rule.ts";
import { type Manifest, PROTECTED_NAMES } from "../permission/manifest.ts";
import { resolveGrants } from "../permission/grants.ts";
import type { Flag } from "./deno_flags.ts";

/** Where and on what the server is to run. */
export interface ServerFlagOptions extends PathVariables {
  readonly os: string;
}

/** The program that builds the sandbox, by operating system. */
const WALL_PROGRAMS: Readonly<Record<string, string>> = {
  linux: "bwrap",
  darwin: "sandbox-exec",
};

/** Computes the flags between `deno run` and `mod.ts`, each with its reason. */
export function planServerFlags(manifest: Manifest, options: ServerFlagOptions): readonly Flag[] {
  const programs = [...manifest.programs].map(([name, rules]) => ({
    name,
    rules,
    grants: resolveGrants(name, rules, options),
  }));
  const run = new Map<string, string>();
  for (const name of manifest.server.run) run.set(name, "the server starts it");
  for (const { name, rules, grants } of programs) {
    const command = rules.kind === "deno" ? "deno" : rules.command;
    const wall = WALL_PROGRAMS[options.os];
    if (rules.sandbox !== "off" && wall !== undefined) run.set(wall, "builds the sandbox");
    else if (options.os === "linux" && !rules.unleashed) {
      run.set("bwrap", "ends it with the server");
    }
    if (wall !== undefined) {
      run.set("ps", "finds the processes of a launch").set("kill", "ends them");
    }
    const isLoose = options.os === "darwin" || rules.sandbox !== "require";
    if (wall !== undefined && (isLoose || grants.write.length > 0)) {
      run.set("sh", "cleans up when the server is killed");
    }
    // Inside a sandbox the program is started by the wall, so the server itself need not be allowed to.
    if (rules.sandbox !== "require") run.set(command, `runs "${name}"`);
  }
  const writes = new Set(expandAll(manifest.server.write, options));
  if (options.os === "linux") {
    for (const { rules, grants } of programs) {
      if (rules.sandbox === "off") continue;
      for (const directory of grants.write) {
        for (const name of PROTECTED_NAMES) {
          writes.add(`${directory}/${name.split("/")[0]}`);
        }
      }
    }
  }
  const reads = new Set(expandAll(manifest.server.read, options));
  for (const { grants } of programs) {
    for (const path of [...grants.read, ...grants.write]) reads.add(path);
    if (grants.sha256 !== undefined) reads.add(grants.command);
  }
  const flags: Flag[] = [{ flag: "--no-prompt", reason: "a server never asks on the terminal" }];
  push(flags, "run", [...run.keys()], [...run].map(([name, why]) => `${name}: ${why}`).join("; "));
  push(flags, "read", [...reads], "roots and the paths programs are granted, to check real paths");
  push(flags, "write", [...writes], "what the mode writes, and cleaning up after protected names");
  push(flags, "net", manifest.server.net, "hosts the mode talks to");
  push(flags, "env", manifest.server.env, "variables the mode reads");
  return Object.freeze(flags);
}

function push(flags: Flag[], name: string, values: readonly string[], reason: string): void {
  if (values.length > 0) {
    flags.push({ flag: `--allow-${name}=${[...values].sort().join(",")}`, reason });
  }
}

function expandAll(rules: readonly string[], variables: PathVariables): string[] {
  return rules.flatMap((rule) => expandPathRule(rule, variables));
}
