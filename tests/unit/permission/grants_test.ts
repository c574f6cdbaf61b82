import { assertEquals, assertThrows } from "@std/assert";
import { narrowRoots, resolveGrants } from "../../../src/permission/grants.ts";
import { PROTECTED_NAMES } from "../../../src/permission/manifest.ts";
import { parseManifest } from "../../../src/permission/manifest_parse.ts";
import { PermissionDeniedError } from "../../../src/permission/permission_denied_error.ts";
import { checkRootPath, findProtectedName } from "../../../src/permission/root_path.ts";

const VARIABLES = { roots: ["/srv/a", "/srv/b"], cwd: "/srv/a", tmp: "/tmp" };

function resolve(rules: Record<string, unknown>, variables = VARIABLES) {
  const text = JSON.stringify({ mode: "x", programs: { p: { command: "tool", ...rules } } });
  const program = parseManifest(text).programs.get("p");
  if (program === undefined) throw new TypeError("Program is missing");
  return resolveGrants("p", program, variables);
}

Deno.test("resolveGrants() refuses roots that are too broad", () => {
  for (const root of ["/", "/home/me", "/etc"]) {
    assertThrows(
      () => resolve({ read: ["${roots}"] }, { ...VARIABLES, roots: [root] }),
      PermissionDeniedError,
      "too broad",
    );
  }
});

Deno.test("resolveGrants() lets deny win over allow", () => {
  const grants = resolve({
    read: ["${roots}", "/srv/c/keys"],
    write: ["${roots}/out", "/srv/d"],
    env: ["A", "B"],
    deny: { read: ["/srv/c", "/srv/a/private"], write: ["/srv/d", "/srv/b"], env: ["A"] },
  });
  assertEquals(grants.read, ["/srv/a", "/srv/b", "/srv/a/out"]);
  assertEquals(grants.write, ["/srv/a/out"]);
  assertEquals(grants.denyRead, ["/srv/a/private"]);
  assertEquals(grants.env, ["B"]);
});

Deno.test("resolveGrants() removes writing where reading is denied", () => {
  const grants = resolve({ write: ["/srv/a"], deny: { read: ["/srv/a"] } });
  assertEquals([grants.read, grants.write], [[], []]);
});

Deno.test("resolveGrants() subtracts hosts, and takes the network away when one of all is denied", () => {
  assertEquals(resolve({ net: "all" }).net, "all");
  assertEquals(resolve({ net: "all", deny: { net: ["a.example"] } }).net, []);
  const grants = resolve({
    kind: "deno",
    command: "npm:x@1.0.0",
    net: ["a.example:443", "b.example"],
    deny: { net: ["a.example"] },
  });
  assertEquals(grants.net, ["b.example"]);
});

Deno.test("resolveGrants() protects names in every writable directory but the temporary one", () => {
  const grants = resolve({ write: ["/srv/a", "${tmp}"], unprotect: [".vscode"] });
  const names = PROTECTED_NAMES.filter((name) => name !== ".vscode");
  assertEquals(grants.denyWrite, names.map((name) => `/srv/a/${name}`));
});

Deno.test("resolveGrants() expands the module of a Deno program", () => {
  assertEquals(resolve({ kind: "deno", command: "${cwd}/tool.ts" }).command, "/srv/a/tool.ts");
  const none = { ...VARIABLES, roots: [] };
  assertEquals(
    resolve({ kind: "deno", command: "${roots}/tool.ts" }, none).command,
    "${roots}/tool.ts",
  );
});

Deno.test("narrowRoots() never widens", () => {
  assertEquals(narrowRoots(["/srv/a", "/srv/b"], ["/srv/a/sub", "/etc", "/srv/bb"]), [
    "/srv/a/sub",
  ]);
  assertEquals(narrowRoots(["/srv/a"], ["/"]), ["/srv/a"]);
  assertEquals(narrowRoots(["/srv/a"], []), []);
  assertEquals(narrowRoots(["/srv/a"], ["/srv/a", "/srv"]), ["/srv/a"]);
});

const REFUSED = [
  "",
  "-x",
  "~x",
  "a\\b",
  "a%2Fb",
  "\u200ba",
  "\ud800",
  "a./b",
  "x ",
  "a\0",
  "/etc",
  "/r/ab",
  "../x",
];

Deno.test("checkRootPath() refuses odd spellings and what is outside", () => {
  for (const path of REFUSED) assertEquals(checkRootPath(path, ["/r/a"]).kind, "refused", path);
  assertEquals(checkRootPath("x".repeat(5000), ["/r/a"]).kind, "refused");
  assertEquals(checkRootPath("/r/a/x", []).kind, "refused");
  assertEquals(checkRootPath("x", ["/r/a", "/r/b"]).kind, "refused");
});

Deno.test("checkRootPath() accepts absolute paths, and relative ones below the only root", () => {
  assertEquals(checkRootPath("./b/../x", ["/r/a"]), {
    kind: "inside",
    path: "/r/a/x",
    root: "/r/a",
  });
  assertEquals(checkRootPath("/r/b/x", ["/r/a", "/r/b"]), {
    kind: "inside",
    path: "/r/b/x",
    root: "/r/b",
  });
});

Deno.test("findProtectedName() finds a protected name at any depth, and no look-alike of one", () => {
  assertEquals(findProtectedName("/r/.git/hooks/x", "/r"), ".git/hooks");
  assertEquals(findProtectedName("/r/a/b/.VSCode", "/r"), ".vscode");
  assertEquals(findProtectedName("/r/a/.bashrc/x", "/r"), ".bashrc");
  for (const path of ["/r", "/r/.git/x", "/r/x.vscode", "/r/.vscoder", "/r/hooks/x"]) {
    assertEquals(findProtectedName(path, "/r"), undefined, path);
  }
  // What lies above the root is not the caller's choice.
  assertEquals(findProtectedName("/home/.claude/r/x", "/home/.claude/r"), undefined);
});
