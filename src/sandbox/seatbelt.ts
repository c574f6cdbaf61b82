// A macOS sandbox profile: deny everything, then allow the granted paths. `sandbox-exec` is deprecated by Apple but
// present on every current macOS.

import type { Grants } from "../permission/grants.ts";

/** What a process needs to start at all: the system's libraries and programs. */
const SYSTEM_PATHS = [
  "/System",
  "/usr/bin",
  "/usr/lib",
  "/usr/libexec",
  "/usr/share",
  "/bin",
  "/private/var/db/dyld",
  "/private/var/db/timezone",
];

const DEVICES = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper"];

/** Writes the profile for one program; `needs` are further readable paths, such as its own executable. */
export function planSeatbelt(grants: Grants, needs: readonly string[]): string {
  const lines = [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow process-exec)",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow file-read-metadata)",
    ...SYSTEM_PATHS.map((path) => `(allow file-read* (subpath ${quote(path)}))`),
    ...DEVICES.map((path) => `(allow file-read* file-write-data (literal ${quote(path)}))`),
    ...[...needs, ...grants.read].map((path) => `(allow file-read* (subpath ${quote(path)}))`),
    ...grants.write.map((path) => `(allow file-write* (subpath ${quote(path)}))`),
    // The last matching rule wins, so denials come last.
    ...grants.denyRead.map((path) => `(deny file-read* file-write* (subpath ${quote(path)}))`),
    ...grants.denyWrite.map((path) => `(deny file-write* (subpath ${quote(path)}))`),
  ];
  if (grants.net.length > 0) {
    lines.push("(allow network-outbound)", "(allow system-socket)");
    lines.push(`(allow file-read* (subpath "/private/etc/ssl"))`);
    lines.push(`(allow mach-lookup (global-name "com.apple.dnssd.service"))`);
  }
  return lines.join("\n") + "\n";
}

/** A string literal of the profile language. Rules hold no control characters: the manifest parser refuses them. */
function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
