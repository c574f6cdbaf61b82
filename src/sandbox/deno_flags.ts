// Flags of a Deno child: its grants and nothing else. Every permission it does not have is denied by name, so that
// the program cannot even ask.

import type { Grants } from "../permission/grants.ts";

/** One flag and what it is for. */
export interface Flag {
  readonly flag: string;
  readonly reason: string;
}

const MEBIBYTE = 1024 * 1024;

/** Computes the flags between `deno run` and the module. */
export function planDenoFlags(grants: Grants): readonly Flag[] {
  const flags: Flag[] = [
    { flag: "--quiet", reason: "stdout and stderr belong to the program" },
    { flag: "--no-prompt", reason: "a missing grant is an error, never a question" },
    { flag: "--cached-only", reason: "no code is fetched at launch" },
    { flag: "--no-lock", reason: "the child has nothing to write a lock file for" },
  ];
  if (/^(?:npm|jsr):/.test(grants.command)) {
    flags.push({
      flag: "--no-config",
      reason: "a file in the working directory cannot change the run",
    });
    flags.push({ flag: "--node-modules-dir=none", reason: "modules come from Deno's own cache" });
  }
  if (!grants.command.startsWith("jsr:")) {
    flags.push({ flag: "--no-remote", reason: "no module is loaded from a URL" });
  }
  pushList(flags, "read", grants.read, "readable paths");
  pushDeny(flags, "read", grants.denyRead, "denied although inside a readable path");
  pushList(flags, "write", grants.write, "writable paths");
  pushDeny(flags, "write", grants.denyWrite, "protected although inside a writable path");
  // The parser refuses "all" for Deno programs; an empty list keeps a hand-made value from granting anything.
  pushList(flags, "net", grants.net === "all" ? [] : grants.net, "reachable hosts");
  if (grants.env.length > 0) {
    flags.push({ flag: `--allow-env=${grants.env.join(",")}`, reason: "readable variables" });
  }
  flags.push({ flag: "--ignore-env", reason: "other variables read as unset instead of failing" });
  pushList(flags, "run", grants.run, "programs it may start");
  pushList(flags, "sys", grants.sys, "readable system facts");
  if (grants.limits.maxMemoryBytes > 0) {
    const mebibytes = Math.max(1, Math.floor(grants.limits.maxMemoryBytes / MEBIBYTE));
    flags.push({
      flag: `--v8-flags=--max-old-space-size=${mebibytes}`,
      reason: "the bound on its heap",
    });
  }
  flags.push({ flag: "--deny-ffi", reason: "native libraries would leave the sandbox" });
  return Object.freeze(flags);
}

function pushList(flags: Flag[], name: string, values: readonly string[], reason: string): void {
  if (values.length === 0) flags.push({ flag: `--deny-${name}`, reason: `no ${reason}` });
  else flags.push({ flag: `--allow-${name}=${values.join(",")}`, reason });
}

function pushDeny(flags: Flag[], name: string, values: readonly string[], reason: string): void {
  if (values.length > 0) flags.push({ flag: `--deny-${name}=${values.join(",")}`, reason });
}
