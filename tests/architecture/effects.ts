// Where a program may touch the world: processes in one folder, nothing at all in the pure ones.

import { folderOf, isProduct } from "./layers.ts";
import { findImports, maskLiterals, type Sources, type Violation } from "./source.ts";

const PURE: ReadonlySet<string | undefined> = new Set([
  "jsonrpc",
  "bcp",
  "permission",
  "clients",
  "mcp",
  "sandbox",
  "detect",
  "router",
]);

/** Built-in modules that only compute. */
const COMPUTING: ReadonlySet<string> = new Set([
  "node:path",
  "node:url",
  "node:util",
  "node:buffer",
  "node:crypto",
  "node:zlib",
]);

const REACHES_OUT =
  /\b(?:fetch|WebSocket|WebSocketStream|EventSource|Worker|BroadcastChannel|localStorage|sessionStorage|caches|navigator)\b(?!\s*[:?])|\b(?:prompt|alert|confirm)\s*\(/g;
/** A member of `Deno` that is a value: lower case, or constructed. Upper case alone names a type. */
const DENO_VALUE = /\bDeno\.(?:(?!build\b)[a-z]\w*)|\bnew\s+Deno\.\w+/g;
const SPAWNS = /\bDeno\.(?:Command|spawn\w*)\b/g;
/** The namespace as a whole, which no other rule could follow. */
const WHOLE_DENO = /\bDeno\b(?!\s*\.\s*\w)/g;

/** Processes started outside `src/process`. */
export function findSpawning(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of sources) {
    if (!isProduct(path)) continue;
    const masked = maskLiterals(text);
    for (const [found] of masked.matchAll(WHOLE_DENO)) {
      violations.push({ rule: "process", path, message: `hands "${found}" on as a whole` });
    }
    if (folderOf(path) === "process") continue;
    for (const [found] of masked.matchAll(SPAWNS)) {
      violations.push({ rule: "process", path, message: `uses ${found}` });
    }
    for (const { specifier } of findImports(text)) {
      if (specifier !== "node:child_process" && specifier !== "node:cluster") continue;
      violations.push({ rule: "process", path, message: `imports ${specifier}` });
    }
  }
  return violations;
}

/** Effects in folders that only compute. */
export function findImpurity(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of sources) {
    if (!PURE.has(folderOf(path))) continue;
    const masked = maskLiterals(text);
    for (const pattern of [REACHES_OUT, DENO_VALUE]) {
      for (const [found] of masked.matchAll(pattern)) {
        violations.push({ rule: "pure", path, message: `uses ${found}` });
      }
    }
    for (const { specifier } of findImports(text)) {
      if (specifier?.startsWith("node:") !== true || COMPUTING.has(specifier)) continue;
      violations.push({ rule: "pure", path, message: `imports ${specifier}` });
    }
  }
  return violations;
}

/** The console: stdout belongs to the protocol. */
export function findConsoleUse(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of sources) {
    if (!isProduct(path) || !/\bconsole\b/.test(maskLiterals(text))) continue;
    violations.push({ rule: "console", path, message: "uses the console" });
  }
  return violations;
}
