// Which folder may import which, and that nothing imports itself the long way round.

import { findImports, resolvePath, type Sources, type Violation } from "./source.ts";

/** Layers of the folders under `src`; an import goes to a lower number or stays inside its folder. */
const LAYERS: Readonly<Record<string, number>> = {
  std: 0,
  jsonrpc: 0,
  bcp: 0,
  permission: 0,
  clients: 0,
  mcp: 1,
  sandbox: 1,
  detect: 1,
  transport: 2,
  process: 2,
  activation: 3,
  providers: 4,
  router: 4,
  gateway: 5,
  cli: 6,
};

/** Imports that point upwards or sideways, leave `src`, or are not fit for a program. */
export function findLayerViolations(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [path, text] of sources) {
    if (!isProduct(path)) continue;
    if (!isEntry(path) && layerOf(path) === undefined) {
      violations.push({ rule: "layer", path, message: "lies in a folder that has no layer" });
    }
    for (const { specifier } of findImports(text)) {
      const message = judgeImport(path, specifier);
      if (message !== undefined) violations.push({ rule: "layer", path, message });
    }
  }
  return violations;
}

/** Files that import each other in a ring, types and dynamic imports counted. */
export function findCycles(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  const done = new Set<string>();
  for (const path of sources.keys()) visit(path, []);
  return violations;

  function visit(path: string, way: readonly string[]): void {
    const start = way.indexOf(path);
    if (start !== -1) {
      const ring = [...way.slice(start), path].join(" → ");
      violations.push({ rule: "cycle", path, message: ring });
      return;
    }
    if (done.has(path)) return;
    for (const { specifier } of findImports(sources.get(path) ?? "")) {
      if (specifier?.startsWith(".") === true) visit(resolvePath(path, specifier), [...way, path]);
    }
    done.add(path);
  }
}

/** Whether a file is part of the product, as opposed to tests, fixtures and benchmarks. */
export function isProduct(path: string): boolean {
  return isEntry(path) || path.startsWith("src/");
}

/** Whether a program starts from the file: `mod.ts`, or a mode's own. */
export function isEntry(path: string): boolean {
  return path === "mod.ts" || /^modes\/\w+\.ts$/.test(path);
}

/** The folder directly under `src`. */
export function folderOf(path: string): string | undefined {
  const [root, folder, file] = path.split("/");
  return root === "src" && file !== undefined ? folder : undefined;
}

function judgeImport(path: string, specifier: string | undefined): string | undefined {
  if (specifier === undefined) return "imports a computed path, which no rule can judge";
  if (/^(?:npm|jsr|https?|data|file):/.test(specifier)) {
    return `imports "${specifier}"; name it in deno.json instead`;
  }
  if (specifier === "@std/assert" && folderOf(path) !== "std") return `imports "${specifier}"`;
  if (!specifier.startsWith(".")) return undefined;
  const target = resolvePath(path, specifier);
  // Manifests are data of the product; the command line ships them.
  if (/^permissions\/\w+\.jsonc$/.test(target) && folderOf(path) === "cli") return undefined;
  if (!target.startsWith("src/")) return `imports ${target}, which is not product code`;
  if (!isEntry(path)) return judgeFolders(path, target);
  // The library exports from everywhere; a mode's file is nothing but a way into the command line.
  if (path === "mod.ts" || folderOf(target) === "cli") return undefined;
  return `imports ${target}; a mode starts from src/cli`;
}

function judgeFolders(path: string, target: string): string | undefined {
  if (unitOf(path) === unitOf(target)) return undefined;
  if (folderOf(target) === "std") return `imports ${target} by path; import it by its @std name`;
  const from = layerOf(path);
  const to = layerOf(target);
  if (from === undefined || to === undefined) return `imports ${target}, which has no layer`;
  return to < from ? undefined : `imports ${target}: layer ${to} is not below layer ${from}`;
}

/** What may import its own files freely: a folder, or one provider. */
function unitOf(path: string): string {
  return path.split("/").slice(0, folderOf(path) === "providers" ? 3 : 2).join("/");
}

function layerOf(path: string): number | undefined {
  const folder = folderOf(path);
  return folder === undefined || !Object.hasOwn(LAYERS, folder) ? undefined : LAYERS[folder];
}
