// From a program's rules to the grants in force on this machine: variables replaced, denials subtracted, protected
// names added. Pure; the caller has made roots, cwd and tmp real paths already.

import { coversHost } from "./host_rule.ts";
import {
  type Limits,
  type NetRule,
  type ProgramKind,
  type ProgramRules,
  PROTECTED_NAMES,
  type SandboxRule,
} from "./manifest.ts";
import type { ArgumentGrammar } from "./argument_grammar.ts";
import { PermissionDeniedError } from "./permission_denied_error.ts";
import {
  broadPathProblem,
  expandPathRule,
  isBroadPath,
  isInside,
  type PathVariables,
} from "./path_rule.ts";

/** Everything one program may touch, as absolute paths, exact hosts and exact names. */
export interface Grants {
  readonly name: string;
  readonly kind: ProgramKind;
  readonly command: string;
  readonly sha256: string | undefined;
  readonly arguments: ArgumentGrammar | undefined;
  /** Readable paths; every writable path is readable too. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
  /** Protected names that the program may write nowhere. */
  readonly protect: readonly string[];
  readonly net: NetRule;
  readonly env: readonly string[];
  readonly run: readonly string[];
  readonly sys: readonly string[];
  readonly limits: Limits;
  readonly sandbox: SandboxRule;
  readonly unleashed: boolean;
}

/**
 * Resolves the rules of one program. Deny wins: what a denial covers is dropped, what it cuts out is kept as denial.
 *
 * @throws {PermissionDeniedError} when a variable stands for a directory too broad to grant.
 */
export function resolveGrants(name: string, rules: ProgramRules, variables: PathVariables): Grants {
  const denyRead = expandAll(rules.deny.read, variables);
  const denied = expandAll(rules.deny.write, variables);
  const write = subtract(expandNarrow(rules.write, variables), [...denied, ...denyRead]);
  const read = subtract(
    [...new Set([...expandNarrow(rules.read, variables), ...write])],
    denyRead,
  );
  const guarded = PROTECTED_NAMES.filter((entry) => !rules.unprotect.includes(entry));
  const denyWrite = new Set(denied);
  for (const directory of write) {
    // Nothing in a private temporary directory is started by anybody else.
    if (directory === variables.tmp) continue;
    for (const entry of guarded) denyWrite.add(`${directory}/${entry}`);
  }
  const [command = rules.command] = rules.command.startsWith("${")
    ? expandPathRule(rules.command, variables)
    : [rules.command];
  return Object.freeze({
    name,
    kind: rules.kind,
    command,
    sha256: rules.sha256,
    arguments: rules.arguments,
    read: Object.freeze(read),
    write: Object.freeze(write),
    denyRead: Object.freeze(cutsOf(denyRead, read)),
    denyWrite: Object.freeze(cutsOf([...denyWrite], write)),
    protect: Object.freeze(guarded),
    net: subtractHosts(rules.net, rules.deny.net),
    env: Object.freeze(rules.env.filter((entry) => !rules.deny.env.includes(entry))),
    run: rules.run,
    sys: rules.sys,
    limits: rules.limits,
    sandbox: rules.sandbox,
    unleashed: rules.unleashed,
  });
}

/**
 * Narrows roots to those a client offers: the part of each root that a client root covers, and nothing else.
 */
export function narrowRoots(
  roots: readonly string[],
  offered: readonly string[],
): readonly string[] {
  const narrowed = new Set<string>();
  for (const root of roots) {
    for (const offer of offered) {
      if (isInside(root, offer)) narrowed.add(root);
      else if (isInside(offer, root)) narrowed.add(offer);
    }
  }
  return Object.freeze([...narrowed]);
}

function expandAll(rules: readonly string[], variables: PathVariables): string[] {
  return [...new Set(rules.flatMap((rule) => expandPathRule(rule, variables)))];
}

function expandNarrow(rules: readonly string[], variables: PathVariables): string[] {
  const paths = expandAll(rules, variables);
  for (const path of paths) {
    // The shared temporary directory is fine as `${tmp}`: every sandbox puts a private one in its place.
    if (isBroadPath(path) && path !== variables.tmp) {
      throw new PermissionDeniedError(broadPathProblem(path));
    }
  }
  return paths;
}

function subtract(paths: readonly string[], denied: readonly string[]): string[] {
  return paths.filter((path) => !denied.some((denial) => isInside(path, denial)));
}

function cutsOf(denied: readonly string[], granted: readonly string[]): string[] {
  return denied.filter((denial) => granted.some((grant) => isInside(denial, grant)));
}

function subtractHosts(net: NetRule, denied: readonly string[]): NetRule {
  if (net === "all") return denied.length > 0 ? Object.freeze([]) : net;
  return Object.freeze(net.filter((host) => !denied.some((denial) => coversHost(denial, host))));
}
