import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { DEFAULT_LIMITS } from "../../../src/permission/manifest.ts";
import { parseManifest } from "../../../src/permission/manifest_parse.ts";
import { ManifestSyntaxError } from "../../../src/permission/manifest_syntax_error.ts";
import { PermissionDeniedError } from "../../../src/permission/permission_denied_error.ts";

function withProgram(program: unknown): string {
  return JSON.stringify({ mode: "test", programs: { child: program } });
}

function withNative(rules: Record<string, unknown>): string {
  return withProgram({ command: "tool", ...rules });
}

function withDeno(rules: Record<string, unknown>): string {
  return withProgram({ kind: "deno", command: "npm:tool@1.0.0", ...rules });
}

function withGrammar(grammar: unknown): string {
  return withNative({ arguments: grammar });
}

const AT = "/programs/child";

const REFUSED: readonly (readonly [name: string, text: string, pointer: string, word: string])[] = [
  ["empty text", "", "", "not JSON"],
  ["broken text", '{"mode": ', "", "not JSON"],
  ["too deep", "[".repeat(100_000), "", ""],
  ["too long", " ".repeat(300_000), "", "longer than"],
  ["array", "[]", "", "Expected an object"],
  ["null", "null", "", "Expected an object"],
  ["foreign prototype", '{"mode": "x", "__proto__": {"server": {}}}', "/__proto__", "Unknown key"],
  ["no mode", "{}", "/mode", "Expected a string"],
  ["odd mode", '{"mode": "A b"}', "/mode", "must begin with a letter"],
  ["unknown key", '{"mode": "x", "a/b~c": 1}', "/a~1b~0c", "Unknown key"],
  ["unknown server key", '{"mode": "x", "server": {"ffi": []}}', "/server/ffi", "Unknown key"],
  ["server as list", '{"mode": "x", "server": []}', "/server", "Expected an object"],
  ["server as null", '{"mode": "x", "server": null}', "/server", "Expected an object"],
  ["program name", '{"mode": "x", "programs": {"A": {}}}', "/programs/A", "must begin"],
  ["no command", withProgram({}), `${AT}/command`, "Expected a string"],
  ["shell command", withProgram({ command: "sh -c id" }), `${AT}/command`, "not a program name"],
  ["relative command", withProgram({ command: "./tool" }), `${AT}/command`, "not a program name"],
  ["dotted command", withProgram({ command: "/a/../b" }), `${AT}/command`, "not a program name"],
  ["control command", withProgram({ command: "/a\u0007" }), `${AT}/command`, "not a program name"],
  ["option as command", withProgram({ command: "-x" }), `${AT}/command`, "not a program name"],
  ["floating version", withDeno({ command: "npm:tool" }), `${AT}/command`, "exact version"],
  ["latest version", withDeno({ command: "npm:tool@latest" }), `${AT}/command`, "exact version"],
  ["URL module", withDeno({ command: "https://x/y.ts" }), `${AT}/command`, "exact version"],
  ["relative module", withDeno({ command: "tool.ts" }), `${AT}/command`, "exact version"],
  ["dotted module", withDeno({ command: "/a/../tool.ts" }), `${AT}/command`, "exact version"],
  ["unknown kind", withNative({ kind: "wasm" }), `${AT}/kind`, "Expected one of"],
  [
    "unleashed in a sandbox",
    withNative({ unleashed: true }),
    `${AT}/unleashed`,
    '"sandbox": "off"',
  ],
  ["short pin", withNative({ sha256: "ab" }), `${AT}/sha256`, "64 hexadecimal digits"],
  ["pin of a name", withNative({ sha256: "0".repeat(64) }), `${AT}/sha256`, "absolute path"],
  ["unknown sandbox", withNative({ sandbox: "on" }), `${AT}/sandbox`, '"require", "auto", "off"'],
  ["root", withNative({ read: ["/"] }), `${AT}/read/0`, "too broad"],
  ["home", withNative({ read: ["/home/me"] }), `${AT}/read/0`, "too broad"],
  ["home of root", withNative({ write: ["/root"] }), `${AT}/write/0`, "too broad"],
  ["tilde", withNative({ read: ["~/x"] }), `${AT}/read/0`, "~"],
  ["star", withNative({ read: ["*"] }), `${AT}/read/0`, "wildcard"],
  ["star below", withNative({ read: ["/srv/*"] }), `${AT}/read/0`, "wildcard"],
  ["empty path", withNative({ read: [""] }), `${AT}/read/0`, "empty"],
  ["control in path", withNative({ read: ["/a\n"] }), `${AT}/read/0`, "control"],
  ["backslash", withNative({ read: ["/a\\b"] }), `${AT}/read/0`, "backslash"],
  ["comma", withNative({ read: ["/a,/etc"] }), `${AT}/read/0`, "comma"],
  ["relative path", withNative({ read: ["a"] }), `${AT}/read/0`, "relative"],
  ["unknown variable", withNative({ read: ["${home}/a"] }), `${AT}/read/0`, "relative"],
  ["inner variable", withNative({ read: ["/a/${tmp}"] }), `${AT}/read/0`, "unknown variable"],
  ["glued variable", withNative({ read: ["${roots}x"] }), `${AT}/read/0`, "relative"],
  ["dots", withNative({ read: ["${roots}/../x"] }), `${AT}/read/0`, "normal form"],
  ["trailing slash", withNative({ read: ["${roots}/"] }), `${AT}/read/0`, "normal form"],
  ["double slash", withNative({ read: ["/a//b"] }), `${AT}/read/0`, "normal form"],
  ["twice", withNative({ read: ["/a", "/a"] }), `${AT}/read/1`, "twice"],
  ["not a list", withNative({ read: "/a" }), `${AT}/read`, "list of strings"],
  ["not a text", withNative({ read: [1] }), `${AT}/read/0`, "Expected a string"],
  ["too many", withNative({ read: Array(257).fill("/a") }), `${AT}/read`, "at most 256"],
  ["host for native", withNative({ net: ["a.example"] }), `${AT}/net`, '"all"'],
  ["all for deno", withDeno({ net: "all" }), `${AT}/net`, "too broad"],
  ["star host", withDeno({ net: ["*.example"] }), `${AT}/net/0`, "wildcard"],
  ["run for native", withNative({ run: ["git"] }), `${AT}/run`, 'Only kind "deno"'],
  ["unknown sys", withDeno({ sys: ["all"] }), `${AT}/sys/0`, "Unknown system fact"],
  ["loader variable", withNative({ env: ["LD_PRELOAD"] }), `${AT}/env/0`, "foreign code"],
  ["not protected", withNative({ unprotect: ["src"] }), `${AT}/unprotect/0`, "not protected"],
  ["deny relative", withNative({ deny: { read: ["a"] } }), `${AT}/deny/read/0`, "relative"],
  ["deny unknown", withNative({ deny: { run: [] } }), `${AT}/deny/run`, "Unknown key"],
  ["limit type", withNative({ limits: { timeoutMs: "1" } }), `${AT}/limits/timeoutMs`, "integer"],
  ["limit fraction", withNative({ limits: { graceMs: 0.5 } }), `${AT}/limits/graceMs`, "integer"],
  ["limit low", withNative({ limits: { timeoutMs: 0 } }), `${AT}/limits/timeoutMs`, "1 to"],
  ["limit high", withNative({ limits: { graceMs: 60_001 } }), `${AT}/limits/graceMs`, "0 to"],
  ["limit unknown", withNative({ limits: { memory: 1 } }), `${AT}/limits/memory`, "Unknown key"],
  ["grammar type", withGrammar([]), `${AT}/arguments`, ""],
  ["grammar key", withGrammar({ pattern: ".*" }), `${AT}/arguments/pattern`, "Unknown key"],
  ["subcommand", withGrammar({ commands: ["-x"] }), `${AT}/arguments/commands/0`, "plain"],
  ["option", withGrammar({ options: { x: null } }), `${AT}/arguments/options/x`, "look like"],
  ["positionals", withGrammar({ positionals: {} }), `${AT}/arguments/positionals`, "list"],
  ["type", withGrammar({ rest: { kind: "any" } }), `${AT}/arguments/rest/kind`, "one of"],
  ["type key", withGrammar({ rest: { kind: "path", x: 1 } }), `${AT}/arguments/rest/x`, "Unknown"],
  [
    "flag",
    withGrammar({ rest: { kind: "text", multiline: 1 } }),
    `${AT}/arguments/rest/multiline`,
    "true",
  ],
  [
    "no values",
    withGrammar({ rest: { kind: "choice" } }),
    `${AT}/arguments/rest/values`,
    "one value",
  ],
  [
    "value",
    withGrammar({ rest: { kind: "choice", values: ["-a"] } }),
    `${AT}/arguments/rest/values/0`,
    "plain",
  ],
  ["required", withGrammar({ required: 1 }), `${AT}/arguments/required`, "0 to 0"],
];

Deno.test("parseManifest() refuses with pointer and fix", async (t) => {
  for (const [name, text, pointer, word] of REFUSED) {
    await t.step(name, () => {
      const error = assertThrows(() => parseManifest(text), ManifestSyntaxError);
      assertEquals(error.pointer, pointer, error.message);
      assertStringIncludes(error.message, word);
      assertEquals(error.code, "manifest_syntax");
    });
  }
});

Deno.test("parseManifest() reads comments, trailing commas and defaults", () => {
  const manifest = parseManifest(
    '// a\n{"mode": "x", /* b */ "programs": {"p": {"command": "tool",},},}',
  );
  const program = manifest.programs.get("p");
  assert(program !== undefined);
  assertEquals(program.limits, DEFAULT_LIMITS);
  assertEquals(program.sandbox, "require");
  assertEquals(program.kind, "native");
  assertEquals([program.read, program.write, program.net, program.env, program.run], [
    [],
    [],
    [],
    [],
    [],
  ]);
  assertEquals(manifest.server, { run: [], read: [], write: [], net: [], env: [] });
});

Deno.test("parseManifest() gives frozen values", () => {
  const manifest = parseManifest(withNative({ read: ["/srv/x"] }));
  assert(Object.isFrozen(manifest));
  assert(Object.isFrozen(manifest.programs.get("child")));
  assert(Object.isFrozen(manifest.programs.get("child")?.read));
});

Deno.test("parseManifest() accepts what each kind may have", () => {
  assertEquals(parseManifest(withNative({ net: "all" })).programs.get("child")?.net, "all");
  const module = parseManifest(withDeno({
    command: "/srv/tool.ts",
    net: ["a.example:443"],
    run: ["git"],
    sys: ["uid"],
    deny: { read: ["/"], write: ["${roots}/x"], env: ["PATH"] },
  })).programs.get("child");
  assertEquals(module?.net, ["a.example:443"]);
  assertEquals(module?.deny.read, ["/"]);
});

Deno.test("PermissionDeniedError has a stable code", () => {
  const error = new PermissionDeniedError("Path is outside");
  assertEquals([error.name, error.code], ["PermissionDeniedError", "permission_denied"]);
});
