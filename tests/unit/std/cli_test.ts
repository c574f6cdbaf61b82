// How `parseArgs` of `@std/cli` reads command lines, true of the original and of the stand-in.
// The last test pins the stand-in alone.

import { assertEquals } from "@std/assert";
import { parseArgs } from "@std/cli";
import { parseArgs as parseArgsOwn } from "../../../src/std/cli.ts";

const PLAIN = [
  { args: [], parsed: { _: [] } },
  { args: ["a", "-", ""], parsed: { _: ["a", "-", ""] } },
  { args: ["--foo", "--bar=baz", "./q.txt"], parsed: { foo: true, bar: "baz", _: ["./q.txt"] } },
  { args: ["--foo", "bar"], parsed: { foo: "bar", _: [] } },
  { args: ["--a=b=c"], parsed: { a: "b=c", _: [] } },
  { args: ["--x="], parsed: { "x=": true, _: [] } },
  { args: ["--x", "a", "--x", "b"], parsed: { x: "b", _: [] } },
  { args: ["--n", "5", "--h=0x10", "--e", "1e3"], parsed: { n: 5, h: 16, e: 1000, _: [] } },
  { args: ["--n=-5"], parsed: { n: -5, _: [] } },
  { args: ["--n", "-5"], parsed: { n: true, "5": true, _: [] } },
  { args: ["--v", "1.2.3", "7", "8a"], parsed: { v: "1.2.3", _: [7, "8a"] } },
  { args: ["--no-x"], parsed: { "no-x": true, _: [] } },
  { args: ["--t", "true", "--f", "false"], parsed: { t: "true", f: "false", _: [] } },
  { args: ["-abc"], parsed: { a: true, b: true, c: true, _: [] } },
  { args: ["-abc", "v"], parsed: { a: true, b: true, c: "v", _: [] } },
  { args: ["-a", "-"], parsed: { a: "-", _: [] } },
  { args: ["-n5"], parsed: { n: 5, _: [] } },
  { args: ["-n=5"], parsed: { n: 5, _: [] } },
  { args: ["-I./dir"], parsed: { I: "./dir", _: [] } },
  { args: ["--a.b", "1", "--a.c=2"], parsed: { a: { b: 1, c: 2 }, _: [] } },
  { args: ["a", "--", "--b", "1"], parsed: { _: ["a", "--b", "1"] } },
] as const;

Deno.test("parseArgs() reads flags without any options", async (t) => {
  for (const { args, parsed } of PLAIN) {
    await t.step(args.join(" "), () => assertEquals<unknown>(parseArgs([...args]), parsed));
  }
});

Deno.test("parseArgs() with boolean takes no value but true and false", () => {
  const options = { boolean: ["x", "y"] } as const;
  assertEquals<unknown>(parseArgs([], options), { x: false, y: false, _: [] });
  assertEquals<unknown>(parseArgs(["--x", "a"], options), { x: true, y: false, _: ["a"] });
  assertEquals<unknown>(parseArgs(["--x", "false", "-y"], options), { x: false, y: true, _: [] });
  assertEquals<unknown>(parseArgs(["--x=false", "--y=no"], options), { x: false, y: true, _: [] });
  assertEquals<unknown>(parseArgs(["--a", "b"], { boolean: true }), { a: true, _: ["b"] });
});

Deno.test("parseArgs() with string keeps numbers as text and has no default", () => {
  const options = { string: ["s", "_"] } as const;
  assertEquals<unknown>(parseArgs([], options), { _: [] });
  assertEquals<unknown>(parseArgs(["--s", "007", "5"], options), { s: "007", _: ["5"] });
  assertEquals<unknown>(parseArgs(["--s"], options), { s: "", _: [] });
  assertEquals<unknown>(parseArgs(["--s", "--t"], options), { s: "", t: true, _: [] });
  assertEquals<unknown>(parseArgs(["-s", "1"], options), { s: "1", _: [] });
});

Deno.test("parseArgs() with collect gathers repeated flags", () => {
  const options = { string: ["s"], collect: ["s", "c"] } as const;
  assertEquals<unknown>(parseArgs([], options), { s: [], _: [] });
  assertEquals<unknown>(parseArgs(["--s", "1", "--s=2", "--c", "1"], options), {
    s: ["1", "2"],
    c: [1],
    _: [],
  });
  const flags = { boolean: ["v"], collect: ["v"] } as const;
  assertEquals<unknown>(parseArgs(["-vv"], flags), { v: [true, true], _: [] });
  assertEquals<unknown>(parseArgs([], flags), { v: [], _: [] });
});

Deno.test("parseArgs() with negatable reads --no-NAME as false", () => {
  const options = { boolean: ["x"], negatable: ["x"], default: { x: true } } as const;
  assertEquals<unknown>(parseArgs([], options), { x: true, _: [] });
  assertEquals<unknown>(parseArgs(["--no-x"], options), { x: false, _: [] });
  assertEquals<unknown>(parseArgs(["--no-x", "a"], options), { x: false, _: ["a"] });
  assertEquals<unknown>(parseArgs(["--no-y"], options), { x: true, "no-y": true, _: [] });
});

Deno.test("parseArgs() with alias sets every name", () => {
  const options = { boolean: ["help"], string: ["out"], alias: { help: ["h", "?"], out: "o" } };
  assertEquals<unknown>(parseArgs(["-h", "-o", "1"], options), {
    help: true,
    h: true,
    "?": true,
    out: "1",
    o: "1",
    _: [],
  });
});

Deno.test("parseArgs() with default fills what was not given, aliases too", () => {
  const options = { string: ["host"], alias: { port: "p" }, default: { port: 80, host: "::1" } };
  assertEquals<unknown>(parseArgs([], options), { port: 80, p: 80, host: "::1", _: [] });
  assertEquals<unknown>(parseArgs(["-p", "1", "--host", "a"], options), {
    port: 1,
    p: 1,
    host: "a",
    _: [],
  });
});

Deno.test("parseArgs() with -- keeps apart what follows it, unread", () => {
  const args = ["--a", "1", "b", "--", "--c", "5", "--"];
  assertEquals<unknown>(parseArgs(args, { "--": true }), {
    a: 1,
    _: ["b"],
    "--": ["--c", "5", "--"],
  });
  assertEquals<unknown>(parseArgs(args, { "--": false }), { a: 1, _: ["b", "--c", "5", "--"] });
  assertEquals<unknown>(parseArgs(["a"], { "--": true }), { _: ["a"], "--": [] });
});

Deno.test("parseArgs() with stopEarly leaves all after the first word unread", () => {
  const options = { boolean: ["v"], stopEarly: true } as const;
  assertEquals<unknown>(parseArgs(["-v", "run", "--v", "5"], options), {
    v: true,
    _: ["run", "--v", "5"],
  });
});

Deno.test("parseArgs() with unknown reports what no option names", () => {
  const seen: unknown[] = [];
  const options = {
    boolean: ["known"],
    string: ["s"],
    alias: { known: "k" },
    unknown: (...call: unknown[]) => {
      seen.push(call);
      return false;
    },
  };
  const parsed = parseArgs(["--known", "-k", "--s=1", "--odd=2", "-z", "word"], options);
  assertEquals<unknown>(parsed, { known: true, k: true, s: "1", _: [] });
  assertEquals(seen, [["--odd=2", "odd", "2"], ["-z", "z", "word"]]);
});

Deno.test("src/std/cli.ts parseArgs() sets own properties only", () => {
  parseArgsOwn(["--constructor.prototype.polluted=1", "--__proto__.polluted=1"]);
  assertEquals(Reflect.get({}, "polluted"), undefined);
});
