// How `@std/path` handles POSIX paths, true of the original and of the stand-in; the stand-in's own
// code is also compared with `node:path/posix`, from which the original derives.

import { assertEquals, assertThrows } from "@std/assert";
import {
  basename,
  DELIMITER,
  dirname,
  extname,
  format,
  fromFileUrl,
  isAbsolute,
  join,
  normalize,
  parse,
  relative,
  resolve,
  SEPARATOR,
  toFileUrl,
} from "@std/path";
import node from "node:path/posix";
import * as own from "../../../src/std/path_posix.ts";

const ignore = Deno.build.os === "windows";

Deno.test({
  name: "fromFileUrl() and toFileUrl() refuse what is no file",
  ignore,
  fn() {
    assertThrows(() => fromFileUrl("http://host/a"), TypeError);
    assertThrows(() => fromFileUrl("/a"), TypeError);
    assertThrows(() => toFileUrl("a/b"), TypeError);
    assertThrows(() => toFileUrl(""), TypeError);
  },
});

const URLS = [
  ["/", "file:///"],
  ["/a b", "file:///a%20b"],
  ["/a%20b", "file:///a%2520b"],
  ["/é#?\\", "file:///%C3%A9%23%3F%5C"],
  ["/tab\there", "file:///tab%09here"],
  ["/line\nend", "file:///line%0Aend"],
] as const;

Deno.test({
  name: "toFileUrl() and fromFileUrl() are inverse for odd characters",
  ignore,
  async fn(t) {
    for (const [path, href] of URLS) {
      await t.step(href, () => {
        assertEquals(toFileUrl(path).href, href);
        assertEquals(fromFileUrl(href), path);
        assertEquals(fromFileUrl(new URL(href)), path);
      });
    }
    assertEquals(fromFileUrl("file:///100%"), "/100%");
  },
});

Deno.test({
  name: "path functions follow POSIX",
  ignore,
  fn() {
    assertEquals([SEPARATOR, DELIMITER], ["/", ":"]);
    assertEquals(join(), ".");
    assertEquals(join("", ""), ".");
    assertEquals(join("/a", "..", "..", "b"), "/b");
    assertEquals(join("a", "../../b/"), "../b/");
    assertEquals(normalize("./a//b/../c/."), "a/c");
    assertEquals(normalize(""), ".");
    assertEquals(resolve("/a", "b", "../c"), "/a/c");
    assertEquals(resolve("/a", "/b", ""), "/b");
    assertEquals(resolve("/a/.."), "/");
    assertEquals(relative("/root", "/root-evil"), "../root-evil");
    assertEquals(relative("/a/b", "/a/b/c"), "c");
    assertEquals(relative("/a/b", "/a/b/"), "");
    assertEquals(relative("/a", "/"), "..");
    assertEquals([isAbsolute("/"), isAbsolute("a"), isAbsolute("")], [true, false, false]);
    assertEquals([dirname("/a/b/"), dirname("/a"), dirname("a"), dirname("")], [
      "/a",
      "/",
      ".",
      ".",
    ]);
    assertEquals([basename("/a/b/"), basename("a.ts", ".ts"), basename("")], ["b", "a", ""]);
    assertEquals([extname("a.tar.gz"), extname(".rc"), extname("a."), extname("a/b")], [
      ".gz",
      "",
      ".",
      "",
    ]);
    const parts = { root: "/", dir: "/a", base: "b.ts", ext: ".ts", name: "b" };
    assertEquals(parse("/a/b.ts"), parts);
    assertEquals(format(parts), "/a/b.ts");
    assertEquals(format({ dir: "/a", name: "b", ext: ".ts" }), "/a/b.ts");
    assertEquals(format({ root: "/", base: "b" }), "/b");
  },
});

Deno.test({
  name: "path functions see no empty names between doubled slashes",
  ignore,
  fn() {
    assertEquals([dirname("a//b"), dirname("///"), dirname("a/b//")], ["a", "/", "a"]);
    assertEquals([basename("/"), basename("//"), basename("a//")], ["/", "/", "a"]);
    assertEquals(parse("/"), { root: "/", dir: "/", base: "/", ext: "", name: "" });
    assertEquals(parse("a//b.c//"), { root: "", dir: "a", base: "b.c", ext: ".c", name: "b" });
    assertEquals(format(parse("/")), "/");
  },
});

/** Every path of up to five of these pieces. */
function* allPaths(): Generator<string> {
  const pieces = ["/", ".", "..", "a", "b.c"];
  let paths = [""];
  for (let length = 0; length < 5; length++) {
    paths = paths.flatMap((path) => pieces.map((piece) => path + piece));
    yield* paths;
  }
}

Deno.test("src/std/path_posix.ts agrees with node:path/posix on every short path", () => {
  for (const path of ["", ...allPaths()]) {
    assertEquals(own.normalize(path), node.normalize(path), `normalize("${path}")`);
    assertEquals(own.isAbsolute(path), node.isAbsolute(path), `isAbsolute("${path}")`);
    assertEquals(own.extname(path), node.extname(path), `extname("${path}")`);
    assertEquals(own.join(path, "../x", path), node.join(path, "../x", path), `join("${path}")`);
    assertEquals(own.resolve("/r", path), node.resolve("/r", path), `resolve("${path}")`);
    const from = `/r/${path}`;
    assertEquals(own.relative(from, "/r/a"), node.relative(from, "/r/a"), `relative("${from}")`);
  }
});

Deno.test("src/std/path_posix.ts takes paths apart as node:path/posix does", () => {
  for (const path of ["", ...allPaths()]) {
    // Where slashes double, and at the root, the original differs from Node; see above. Node reads
    // "/.." as "." with the extension ".".
    if (path === "/" || path.includes("//") || /^\/\.\.\/?$/.test(path)) continue;
    assertEquals(own.dirname(path), node.dirname(path), `dirname("${path}")`);
    assertEquals(own.basename(path), node.basename(path), `basename("${path}")`);
    assertEquals(own.basename(path, ".c"), node.basename(path, ".c"), `basename("${path}", ".c")`);
    assertEquals<unknown>(own.parse(path), node.parse(path), `parse("${path}")`);
    assertEquals(own.format(own.parse(path)), node.format(node.parse(path)), `format("${path}")`);
  }
});
