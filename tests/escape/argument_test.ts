// Attempts to smuggle something through arguments and the environment.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Compartment, makeLink, toSuccess, toText, type Wall } from "./compartment.ts";
import { testWith } from "../harness/test_with.ts";

const test = await testWith("bwrap", "ps");

const NATIVE: readonly Wall[] = ["bubblewrap", "unconfined"];

const LITERALS = [
  "$(touch pwned)",
  "`id`",
  "; id",
  "| id",
  "&& id",
  "a\nb",
  "*",
  "'\"",
  "$IFS",
  "${HOME}",
  "--",
  "-rf",
  "@file",
  "key=value",
  "\u202egnp.exe",
  "",
];

for (const wall of NATIVE) {
  test(`${wall} child gets arguments literally`, async () => {
    await using c = await Compartment.create({ wall });
    const expected = LITERALS.map((text) => `<${text}>`).join("");
    const outcome = await c.run(["args", ...LITERALS]);
    assertEquals(toSuccess(outcome), expected.trim(), toText(outcome));
  });

  test(`${wall} launch refuses NUL and over-long arguments`, async () => {
    await using c = await Compartment.create({ wall });
    for (
      const [argument, reason] of [["a\0b", "NUL"], ["x".repeat(1 << 20), "longer than"]] as const
    ) {
      const outcome = await c.run(["args", argument]);
      assert(outcome.kind === "denied");
      assertStringIncludes(outcome.reason, reason);
    }
    assertEquals(toSuccess(await c.run(["args", "x".repeat(100_000)]))?.length, 100_002);
  });

  test(`${wall} launch drops nothing silently: a variable that is not granted is refused`, async () => {
    await using c = await Compartment.create({ wall, rules: { env: ["GRANTED"] } });
    for (
      const name of ["LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "NODE_OPTIONS", "BASH_ENV", "OTHER"]
    ) {
      const outcome = await c.run(["env"], { env: { [name]: "x" } });
      assertEquals(outcome.kind, "denied", name);
    }
    const granted = await c.run(["env"], { env: { GRANTED: "value" } });
    assertStringIncludes(toSuccess(granted) ?? "", "GRANTED=value");
  });

  test(`${wall} child does not see the server's environment`, async () => {
    await using c = await Compartment.create({ wall });
    const names = (toSuccess(await c.run(["env"])) ?? "").split("\n").map((line) =>
      line.split("=")[0]
    );
    const allowed = ["BULKHEAD_LAUNCH", "HOME", "LANG", "PATH", "PWD", "SHLVL", "TMPDIR", "_"];
    assertEquals(names.filter((name) => !allowed.includes(name ?? "")), []);
  });

  test(`${wall} child's program is not looked for in the working directory`, async () => {
    await using c = await Compartment.create({ wall });
    await Deno.writeTextFile(`${c.root}/env`, "#!/bin/sh\necho hijacked\n", { mode: 0o755 });
    assertStringIncludes(toSuccess(await c.run(["run", "env"])) ?? "", "PATH=");
  });
}

test("bubblewrap child finds no foreign environment in /proc", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap" });
  for (const pid of ["1", "self"]) {
    const text = toSuccess(await c.run(["environ", pid])) ?? "";
    for (const line of text.split("\n").filter((entry) => entry !== "")) {
      assert(/^(?:PATH|HOME|LANG|TMPDIR|PWD|SHLVL|_|OLDPWD)=/.test(line), line.split("=")[0]);
    }
  }
  // The server, its parent and its siblings are not in the namespace.
  const outcome = await c.run(["environ", String(Deno.pid)]);
  assertEquals(toSuccess(outcome), undefined);
});

test("deno child does not see the server's environment", async () => {
  await using denied = await Compartment.create({ wall: "deno" });
  assertEquals(toSuccess(await denied.run(["env", "USER"])), "[null]");
  await using granted = await Compartment.create({ wall: "deno", rules: { env: ["TOKEN"] } });
  const outcome = await granted.run(["env", "TOKEN"], { env: { TOKEN: "t" } });
  assertEquals(toSuccess(outcome), '["t"]', toText(outcome));
});

const GRAMMAR = {
  commands: ["read", "args"],
  options: { "--count": { kind: "integer", max: 9 }, "--all": null },
  positionals: [{ kind: "path" }],
};

test("launch refuses arguments outside the grammar and resolves paths", async () => {
  await using c = await Compartment.create({ wall: "bubblewrap", rules: { arguments: GRAMMAR } });
  await makeLink(c.secret, `${c.root}/link`);
  const refused = [
    ["write", "inside.txt"],
    ["read", "--output=/etc/x"],
    ["read", "-exec"],
    ["read", "inside.txt", "more"],
    ["read", "--count", "--all"],
    ["read", "--count", "10"],
    ["read", c.secret],
    ["read", "../outside/secret.txt"],
    ["read", "link"],
    ["read", `${c.root}-evil/x`],
  ];
  for (const args of refused) assertEquals((await c.run(args)).kind, "denied", args.join(" "));
  const outcome = await c.run(["read", "sub/../inside.txt"]);
  assertEquals(toSuccess(outcome), "inside", toText(outcome));
});

test("audit never holds argument or variable values unless asked, and then redacts", async () => {
  const token = "ghp_" + "a".repeat(36);
  await using quiet = await Compartment.create({ wall: "bubblewrap", rules: { env: ["KEY"] } });
  await quiet.run(["args", "needle", token], { env: { KEY: "value-of-key" } });
  const silent = JSON.stringify(quiet.events);
  for (const word of ["needle", token, "value-of-key"]) assertEquals(silent.includes(word), false);
  await using loud = await Compartment.create({ wall: "bubblewrap", auditArguments: true });
  await loud.run(["args", "needle", token], {
    caller: { client: "test", tool: "attempt", requestId: 7 },
  });
  const text = JSON.stringify(loud.events);
  assertStringIncludes(text, '"arguments":["args","needle","[redacted]"]');
  assertStringIncludes(text, '"caller":{"client":"test","tool":"attempt","requestId":7}');
});
