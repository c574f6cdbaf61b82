// What Deno has granted to this process, compared with what its mode needs: tells what is missing and what is too much.
// Asks only with queries, so that no permission prompt can appear.

import type { Flag } from "../sandbox/deno_flags.ts";

/** The difference between what is needed and what is granted, as flags. */
export interface PermissionReport {
  /** Flags to add, each with the reason the mode needs it. */
  readonly missing: readonly Flag[];
  /** Permissions that are granted without bounds although the mode needs only a part or nothing of them. */
  readonly excessive: readonly string[];
}

type Name = Deno.PermissionDescriptor["name"];

const NAMES: readonly Name[] = ["run", "read", "write", "net", "env", "sys", "ffi"];

/** Compares the permissions of this process with the flags its mode needs. */
export async function checkOwnPermissions(needs: readonly Flag[]): Promise<PermissionReport> {
  const missing: Flag[] = [];
  for (const need of needs) {
    const { name, values } = splitFlag(need.flag);
    if (name === undefined) continue;
    const lacking: string[] = [];
    for (const value of values) {
      const { state } = await Deno.permissions.query(toDescriptor(name, value));
      if (state !== "granted") lacking.push(value);
    }
    if (lacking.length > 0) {
      missing.push({ flag: `--allow-${name}=${lacking.join(",")}`, reason: need.reason });
    }
  }
  const excessive: string[] = [];
  for (const name of NAMES) {
    if ((await Deno.permissions.query(toDescriptor(name))).state === "granted") {
      excessive.push(`--allow-${name}`);
    }
  }
  return { missing, excessive };
}

/**
 * The program that Deno allows for a name: the name itself when anything may be run, else the first place on `path`
 * that was allowed. A bare name would tell about the server's own PATH, which a child does not have.
 */
export async function findAllowed(command: string, path?: string): Promise<string | undefined> {
  const isByName = path === undefined || command.includes("/") ||
    (await Deno.permissions.query({ name: "run" })).state === "granted";
  const candidates = isByName
    ? [command]
    : path.split(":").map((directory) => `${directory}/${command}`);
  for (const candidate of candidates) {
    const { state } = await Deno.permissions.query({ name: "run", command: candidate });
    if (state === "granted") return candidate;
  }
  return undefined;
}

function splitFlag(flag: string): { name: Name | undefined; values: readonly string[] } {
  const match = /^--allow-([a-z]+)=(.*)$/.exec(flag);
  const name = NAMES.find((candidate) => candidate === match?.[1]);
  return { name, values: (match?.[2] ?? "").split(",") };
}

function toDescriptor(name: Name, value?: string): Deno.PermissionDescriptor {
  switch (name) {
    case "run":
      return value === undefined ? { name } : { name, command: value };
    case "read":
    case "write":
      return value === undefined ? { name } : { name, path: value };
    case "net":
      return value === undefined ? { name } : { name, host: value };
    case "env":
      return value === undefined ? { name } : { name, variable: value };
    default:
      return { name } as Deno.PermissionDescriptor;
  }
}
