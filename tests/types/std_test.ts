// Pins what `src/std` exports to the documented signatures of the `@std` originals. The types are
// written out here, never imported. `Equal` demands the same signature; `Narrower` that whoever
// calls ours could call the original: ours asks for no less and promises no more.

import * as assertModule from "../../src/std/assert.ts";
import * as cliModule from "../../src/std/cli.ts";
import * as jsoncModule from "../../src/std/jsonc.ts";
import * as pathModule from "../../src/std/path.ts";
import * as streamsModule from "../../src/std/streams.ts";
import * as yamlModule from "../../src/std/yaml.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;
type Narrower<Ours, Original> = [Original] extends [Ours] ? true : false;

/** Compiles only if every member is `true`. */
type AllTrue<T extends Record<string, true>> = T;

type Json =
  | { [key: string]: Json | undefined }
  | Json[]
  | string
  | number
  | boolean
  | null;
type Parts = { root: string; dir: string; base: string; ext: string; name: string };
type OneToOne = (path: string) => string;

type Path = typeof pathModule;
export type PathPins = AllTrue<{
  join: Equal<Path["join"], (...paths: string[]) => string>;
  resolve: Equal<Path["resolve"], (...pathSegments: string[]) => string>;
  relative: Equal<Path["relative"], (from: string, to: string) => string>;
  isAbsolute: Equal<Path["isAbsolute"], (path: string) => boolean>;
  normalize: Equal<Path["normalize"], OneToOne>;
  dirname: Equal<Path["dirname"], OneToOne>;
  basename: Equal<Path["basename"], (path: string, suffix?: string) => string>;
  extname: Equal<Path["extname"], OneToOne>;
  parse: Narrower<Path["parse"], (path: string) => Parts>;
  format: Narrower<Path["format"], (pathObject: Partial<Parts>) => string>;
  fromFileUrl: Equal<Path["fromFileUrl"], (url: URL | string) => string>;
  toFileUrl: Equal<Path["toFileUrl"], (path: string) => URL>;
  SEPARATOR: Equal<Path["SEPARATOR"], "/" | "\\">;
  DELIMITER: Equal<Path["DELIMITER"], ":" | ";">;
}>;

type OriginalYamlOptions = {
  schema?: "failsafe" | "json" | "core" | "default" | "extended";
  allowDuplicateKeys?: boolean;
  onWarning?(error: Error): void;
};
type OriginalStringifyOptions = {
  indent?: number;
  arrayIndent?: boolean;
  skipInvalid?: boolean;
  flowLevel?: number;
  styles?: Record<string, string>;
  schema?: "failsafe" | "json" | "core" | "default" | "extended";
  sortKeys?: boolean | ((a: string, b: string) => number);
  lineWidth?: number;
  useAnchors?: boolean;
  compatMode?: boolean;
  condenseFlow?: boolean;
};
type Yaml = typeof yamlModule;
export type YamlPins = AllTrue<{
  parse: Narrower<Yaml["parse"], (content: string, options?: OriginalYamlOptions) => unknown>;
  stringify: Narrower<
    Yaml["stringify"],
    (data: unknown, options?: OriginalStringifyOptions) => string
  >;
  parseOptionNames: Narrower<keyof OriginalYamlOptions, keyof yamlModule.ParseOptions>;
  stringifyOptionNames: Narrower<
    keyof OriginalStringifyOptions,
    keyof yamlModule.StringifyOptions
  >;
}>;

export type JsoncPins = AllTrue<{
  parse: Equal<typeof jsoncModule.parse, (text: string) => jsoncModule.JsonValue>;
  intoJson: Narrower<Json, jsoncModule.JsonValue>;
  fromJson: Narrower<jsoncModule.JsonValue, Json>;
}>;

export type StreamsPins = AllTrue<{
  options: Equal<
    ConstructorParameters<typeof streamsModule.TextLineStream>,
    [options?: { allowCR?: boolean } | undefined]
  >;
  stream: Narrower<TransformStream<string, string>, streamsModule.TextLineStream>;
  toText: Equal<
    typeof streamsModule.toText,
    (stream: ReadableStream<string> | ReadableStream<Uint8Array>) => Promise<string>
  >;
}>;

/** The original's names of options, for any caller. */
type OriginalCliOptions =
  | ("--" | "alias" | "boolean" | "default" | "stopEarly" | "string")
  | ("collect" | "negatable" | "unknown");
const parsed = cliModule.parseArgs([], {
  boolean: ["flag", "many"],
  string: ["text", "texts", "maybe", "host"],
  collect: ["many", "texts", "any"],
  negatable: ["maybe"],
  default: { host: "::1", port: 80 },
  "--": true,
});
const plain = cliModule.parseArgs([]);
export type CliPins = AllTrue<{
  options: Equal<keyof cliModule.ParseOptions, OriginalCliOptions>;
  args: Equal<Parameters<typeof cliModule.parseArgs>[0], string[]>;
  boolean: Equal<typeof parsed.flag, boolean>;
  booleans: Equal<typeof parsed.many, boolean[]>;
  string: Equal<typeof parsed.text, string | undefined>;
  strings: Equal<typeof parsed.texts, string[]>;
  negatable: Equal<typeof parsed.maybe, string | false | undefined>;
  collected: Equal<typeof parsed.any, unknown[]>;
  defaulted: Equal<typeof parsed.host, string>;
  onlyDefault: Equal<typeof parsed.port, unknown>;
  unnamed: Equal<typeof parsed.other, unknown>;
  rest: Equal<typeof plain._, Array<string | number>>;
  doubleDash: Equal<(typeof parsed)["--"], string[]>;
}>;

type Assert = typeof assertModule;
type Compare = <T>(actual: T, expected: T, msg?: string) => void;
type Of<E> = abstract new (...args: never[]) => E;
export type AssertPins = AllTrue<{
  assert: Equal<Assert["assert"], (expr: unknown, msg?: string) => asserts expr>;
  assertFalse: Equal<
    Assert["assertFalse"],
    (expr: unknown, msg?: string) => asserts expr is false | 0 | 0n | "" | null | undefined
  >;
  assertEquals: Equal<Assert["assertEquals"], Compare>;
  assertNotEquals: Equal<Assert["assertNotEquals"], Compare>;
  assertStrictEquals: Equal<
    Assert["assertStrictEquals"],
    <T>(actual: unknown, expected: T, msg?: string) => asserts actual is T
  >;
  assertNotStrictEquals: Equal<Assert["assertNotStrictEquals"], Compare>;
  assertExists: Equal<
    Assert["assertExists"],
    <T>(actual: T, msg?: string) => asserts actual is NonNullable<T>
  >;
  assertStringIncludes: Equal<
    Assert["assertStringIncludes"],
    (actual: string, expected: string, msg?: string) => void
  >;
  assertMatch: Equal<
    Assert["assertMatch"],
    (actual: string, expected: RegExp, msg?: string) => void
  >;
  assertNotMatch: Equal<
    Assert["assertNotMatch"],
    (actual: string, expected: RegExp, msg?: string) => void
  >;
  assertArrayIncludes: Equal<
    Assert["assertArrayIncludes"],
    <T>(
      actual: ArrayLike<T> & object,
      expected: ArrayLike<NoInfer<T>> & object,
      msg?: string,
    ) => void
  >;
  assertObjectMatch: Equal<
    Assert["assertObjectMatch"],
    (
      actual: Record<PropertyKey, unknown>,
      expected: Record<PropertyKey, unknown>,
      msg?: string,
    ) => void
  >;
  assertInstanceOf: Equal<
    Assert["assertInstanceOf"],
    <T extends Of<unknown>>(
      actual: unknown,
      expectedType: T,
      msg?: string,
    ) => asserts actual is InstanceType<T>
  >;
  assertIsError: Equal<
    Assert["assertIsError"],
    <E extends Error = Error>(
      error: unknown,
      ErrorClass?: Of<E>,
      msgMatches?: string | RegExp,
      msg?: string,
    ) => asserts error is E
  >;
  assertThrows: Equal<
    Assert["assertThrows"],
    {
      (fn: () => unknown, msg?: string): unknown;
      <E extends Error = Error>(
        fn: () => unknown,
        ErrorClass: Of<E>,
        msgIncludes?: string,
        msg?: string,
      ): E;
    }
  >;
  assertRejects: Equal<
    Assert["assertRejects"],
    {
      (fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
      <E extends Error = Error>(
        fn: () => PromiseLike<unknown>,
        ErrorClass: Of<E>,
        msgIncludes?: string,
        msg?: string,
      ): Promise<E>;
    }
  >;
  assertGreater: Equal<Assert["assertGreater"], Compare>;
  assertGreaterOrEqual: Equal<Assert["assertGreaterOrEqual"], Compare>;
  assertLess: Equal<Assert["assertLess"], Compare>;
  assertLessOrEqual: Equal<Assert["assertLessOrEqual"], Compare>;
  assertAlmostEquals: Equal<
    Assert["assertAlmostEquals"],
    (actual: number, expected: number, tolerance?: number, msg?: string) => void
  >;
  fail: Equal<Assert["fail"], (msg?: string) => never>;
  unreachable: Equal<Assert["unreachable"], (msg?: string) => never>;
  AssertionError: Equal<
    ConstructorParameters<Assert["AssertionError"]>,
    [message: string, options?: ErrorOptions | undefined]
  >;
}>;

const EXPORTS = [
  {
    name: "assert",
    module: assertModule,
    names: "AssertionError assert assertAlmostEquals assertArrayIncludes assertEquals " +
      "assertExists assertFalse assertGreater assertGreaterOrEqual assertInstanceOf " +
      "assertIsError assertLess assertLessOrEqual assertMatch assertNotEquals assertNotMatch " +
      "assertNotStrictEquals assertObjectMatch assertRejects assertStrictEquals " +
      "assertStringIncludes assertThrows fail unreachable",
  },
  { name: "cli", module: cliModule, names: "parseArgs" },
  { name: "jsonc", module: jsoncModule, names: "parse" },
  {
    name: "path",
    module: pathModule,
    names: "DELIMITER SEPARATOR basename dirname extname format fromFileUrl isAbsolute join " +
      "normalize parse relative resolve toFileUrl",
  },
  { name: "streams", module: streamsModule, names: "TextLineStream toText" },
  { name: "yaml", module: yamlModule, names: "parse stringify" },
];

Deno.test("src/std exports exactly these names", async (t) => {
  for (const { name, module, names } of EXPORTS) {
    await t.step(name, () => {
      assertModule.assertEquals(Object.keys(module).sort(), names.split(" "));
    });
  }
});
