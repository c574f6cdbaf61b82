// What this machine offers to build sandboxes with. The facts are found once, by a probe that the caller passes in,
// because running a program is the business of the process layer.

import { LEASH } from "./bubblewrap.ts";

/** Runs a program to its end and tells whether it succeeded and what it printed. */
export type RunProbe = (
  argv: readonly [string, ...string[]],
) => Promise<{ readonly ok: boolean; readonly text: string }>;

/** A wall that exists, or the reason it does not with the fix. */
export type Wall =
  | { readonly kind: "available"; readonly version: string; readonly extras: readonly string[] }
  | { readonly kind: "missing"; readonly reason: string };

/** The facts a plan depends on. */
export interface Host {
  readonly os: string;
  readonly bubblewrap: Wall;
  readonly seatbelt: Wall;
  /** Whether bubblewrap can give a process namespace that confines nothing but the lifetime of what runs in it. */
  readonly canLeash: boolean;
  /** Real path of the Deno executable. */
  readonly denoPath: string;
  /** What the server itself may start Deno by: its path, or its name where only that is allowed. */
  readonly denoCommand: string;
  /** Deno's module cache; undefined when it is not known. */
  readonly denoDir: string | undefined;
  /** Whether `ps` and `kill` may be run, so that descendants of a launch can be found and asked to end. */
  readonly canFindTree: boolean;
}

/** What the probe cannot find out by running programs. */
export type HostFacts = Omit<Host, "bubblewrap" | "seatbelt" | "canLeash">;

/** Forbids nested user namespaces; bubblewrap knows it since 0.8. */
const DISABLE_USERNS = "--disable-userns";

/** Finds out which walls work here by building the smallest one of each kind. */
export async function probeHost(facts: HostFacts, run: RunProbe): Promise<Host> {
  const isLinux = facts.os === "linux";
  const leash = isLinux ? run(["bwrap", ...LEASH, "/bin/sh", "-c", ":"]) : undefined;
  return Object.freeze({
    ...facts,
    bubblewrap: isLinux ? await probeBubblewrap(run) : missing("bubblewrap exists on Linux only"),
    seatbelt: facts.os === "darwin"
      ? await probeSeatbelt(run)
      : missing("sandbox-exec exists on macOS only"),
    canLeash: (await leash)?.ok === true,
  });
}

async function probeBubblewrap(run: RunProbe): Promise<Wall> {
  const version = await run(["bwrap", "--version"]);
  if (!version.ok) {
    return missing(`Cannot run "bwrap"; install bubblewrap and start with --allow-run=bwrap`);
  }
  const smallest = ["--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "--proc", "/proc"];
  const name = version.text.trim();
  if ((await run(["bwrap", ...smallest, DISABLE_USERNS, "--", "/bin/sh", "-c", ":"])).ok) {
    return { kind: "available", version: name, extras: [DISABLE_USERNS] };
  }
  const plain = await run(["bwrap", ...smallest, "--", "/bin/sh", "-c", ":"]);
  if (plain.ok) return { kind: "available", version: name, extras: [] };
  return missing(
    `${name} cannot make namespaces; allow unprivileged user namespaces, or run outside a container`,
  );
}

async function probeSeatbelt(run: RunProbe): Promise<Wall> {
  const result = await run(["sandbox-exec", "-p", "(version 1)(allow default)", "/usr/bin/true"]);
  return result.ok
    ? { kind: "available", version: "sandbox-exec", extras: [] }
    : missing(`Cannot run "sandbox-exec"; start with --allow-run=sandbox-exec`);
}

function missing(reason: string): Wall {
  return { kind: "missing", reason };
}
