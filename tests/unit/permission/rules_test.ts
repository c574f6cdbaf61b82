import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  coversHost,
  findEnvRuleProblem,
  findHostRuleProblem,
  isLoaderVariable,
} from "../../../src/permission/host_rule.ts";
import {
  expandPathRule,
  findPathRuleProblem,
  isBroadPath,
  isInside,
  normalizePath,
} from "../../../src/permission/path_rule.ts";

const REFUSED_HOSTS = [
  "*",
  "*.example.com",
  "",
  "Example.com",
  "example.com.",
  "http://example.com",
  "example.com/path",
  "example.com:0",
  "example.com:65536",
  "example.com:",
  "example.com:http",
  "a\0b",
  "ex\u0430mple.com",
  "-a.example",
  "127.0.0.256",
  "0.0.0.0",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0177.0.0.1",
  "169.254.169.254",
  "[::]",
  "[::1",
  "[x]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:7f00:1]",
  "[fe80::1]",
  "unix:/run/docker.sock",
];

Deno.test("findHostRuleProblem() refuses every spelling but the plain one", () => {
  for (const host of REFUSED_HOSTS) {
    assertEquals(typeof findHostRuleProblem(host), "string", host);
  }
  for (
    const host of [
      "example.com",
      "xn--bcher-kva.example:8443",
      "localhost",
      "127.0.0.1:80",
      "10.0.0.1",
      "[::1]",
      "[2001:db8::1]:443",
    ]
  ) {
    assertEquals(findHostRuleProblem(host), undefined, host);
  }
});

Deno.test("coversHost() compares hosts exactly and treats a missing port as every port", () => {
  assertEquals(coversHost("a.example", "a.example:443"), true);
  assertEquals(coversHost("a.example:443", "a.example:443"), true);
  assertEquals(coversHost("a.example:443", "a.example"), false);
  assertEquals(coversHost("a.example", "b.a.example"), false);
  assertEquals(coversHost("[::1]", "[::1]:80"), true);
});

Deno.test("findEnvRuleProblem() refuses wildcards, odd names and loader variables", () => {
  for (
    const name of [
      "*",
      "A*",
      "1A",
      "A=B",
      "",
      "A B",
      "LD_PRELOAD",
      "ld_audit",
      "Path",
      "DENO_DIR",
      "IFS",
    ]
  ) {
    assertEquals(typeof findEnvRuleProblem(name), "string", name);
  }
  assertEquals(findEnvRuleProblem("BN_REPO"), undefined);
  assertEquals(isLoaderVariable("DYLD_INSERT_LIBRARIES"), true);
  assertEquals(isLoaderVariable("LDAP_HOST"), false);
});

Deno.test("findPathRuleProblem() accepts narrow absolute paths and variables", () => {
  for (const rule of ["/srv/x", "${roots}", "${cwd}/a/b", "${tmp}", "/home/me/project", "/a/..b"]) {
    assertEquals(findPathRuleProblem(rule), undefined, rule);
  }
  assertStringIncludes(findPathRuleProblem("/") ?? "", "too broad");
  assertStringIncludes(findPathRuleProblem("/a?") ?? "", "wildcard");
});

Deno.test("isBroadPath() knows the machine, the system and homes, not what is below them", () => {
  for (const path of ["/", "/etc", "/home", "/home/me", "/Users/me", "/root", "/proc", "/tmp"]) {
    assertEquals(isBroadPath(path), true, path);
  }
  for (const path of ["/home/me/x", "/srv/data", "/etc/app"]) {
    assertEquals(isBroadPath(path), false, path);
  }
});

Deno.test("expandPathRule() replaces each variable", () => {
  const variables = { roots: ["/a", "/b"], cwd: "/c", tmp: "/t" };
  assertEquals(expandPathRule("${roots}/x", variables), ["/a/x", "/b/x"]);
  assertEquals(expandPathRule("${cwd}", variables), ["/c"]);
  assertEquals(expandPathRule("${tmp}/y", variables), ["/t/y"]);
  assertEquals(expandPathRule("/z", variables), ["/z"]);
});

Deno.test("isInside() does not take a prefix for a parent", () => {
  assertEquals(isInside("/r/a", "/r/a"), true);
  assertEquals(isInside("/r/a/x", "/r/a"), true);
  assertEquals(isInside("/r/ab", "/r/a"), false);
  assertEquals(isInside("/r", "/r/a"), false);
  assertEquals(isInside("/x", "/"), true);
});

Deno.test("normalizePath() never climbs above the root directory", () => {
  assertEquals(normalizePath("/a/./b//../c/"), "/a/c");
  assertEquals(normalizePath("/../../x"), "/x");
  assertEquals(normalizePath("/"), "/");
});
