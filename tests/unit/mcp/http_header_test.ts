// Headers that repeat the body: equal, or refused.

import { assertEquals, assertThrows } from "@std/assert";
import { type JsonObject, RpcError } from "../../../src/jsonrpc/message.ts";
import {
  checkHeaders,
  checkParamHeaders,
  decodeHeader,
  HEADER_MISMATCH,
} from "../../../src/mcp/http_header.ts";

const PREFIX = "io.modelcontextprotocol/";
const META = {
  [`${PREFIX}protocolVersion`]: "2026-07-28",
  [`${PREFIX}clientCapabilities`]: {},
};

function check(
  method: string,
  params: JsonObject,
  headers: Readonly<Record<string, string>>,
): void {
  const request = { kind: "request", id: 1, method, params: { _meta: META, ...params } } as const;
  checkHeaders(request, new Map(Object.entries(headers)));
}

function assertMismatch(run: () => void, words: string): void {
  const error = assertThrows(run, RpcError, words);
  assertEquals(error.code, HEADER_MISMATCH);
}

const VERSION = { "mcp-protocol-version": "2026-07-28" };

/** Each method with a name, and where the body has it. */
const NAMED: readonly (readonly [string, string])[] = [
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
];

Deno.test("checkHeaders() wants the name of each method that has one", async (t) => {
  for (const [method, field] of NAMED) {
    await t.step(method, () => {
      const headers = { ...VERSION, "mcp-method": method };
      const params = { [field]: "ünïcode" };
      assertMismatch(() => check(method, params, headers), "Mcp-Name is missing");
      assertMismatch(
        () => check(method, params, { ...headers, "mcp-name": "other" }),
        `Mcp-Name must be params.${field}`,
      );
      const name = `=?base64?${new TextEncoder().encode("ünïcode").toBase64()}?=`;
      check(method, params, { ...headers, "mcp-name": name });
      check(method, { [field]: "plain" }, { ...headers, "mcp-name": "plain" });
      // What is no name is not for headers to judge.
      check(method, { [field]: 1 }, headers);
    });
  }
});

Deno.test("checkHeaders() wants no name of other methods", () => {
  for (const method of ["tools/list", "server/discover", "constructor", "__proto__"]) {
    check(method, { name: "x" }, { ...VERSION, "mcp-method": method });
  }
});

Deno.test("checkHeaders() takes a name that looks encoded as it is, too", () => {
  const name = "=?base64?eA==?=";
  check("tools/call", { name }, { ...VERSION, "mcp-method": "tools/call", "mcp-name": name });
});

Deno.test("checkHeaders() goes by the version first, then leaves bad metadata to others", () => {
  assertMismatch(() => check("tools/list", {}, {}), "MCP-Protocol-Version is missing");
  check("tools/list", { _meta: {} }, VERSION);
  check("tools/list", { _meta: { ...META, [`${PREFIX}clientCapabilities`]: 1 } }, VERSION);
  const other = { _meta: { ...META, [`${PREFIX}protocolVersion`]: "v999" } };
  assertMismatch(() => check("tools/list", other, VERSION), "must be the revision");
  check("tools/list", other, { "mcp-protocol-version": "v999" });
});

/** A header, the text it carries, or `undefined` where it carries none. */
const DECODED: readonly (readonly [string, string | undefined])[] = [
  ["plain", "plain"],
  ["", ""],
  ["=?base64??=", ""],
  ["=?base64?ZXU=?=", "eu"],
  ["=?base64?w7w=?=", "ü"],
  ["=?base64?77u/eA==?=", "\ufeffx"],
  ["=?base64?ZXU?=", undefined],
  ["=?base64?ZXU==?=", undefined],
  ["=?base64?ZX U=?=", undefined],
  ["=?base64?ZXV=?=", undefined],
  ["=?base64?ZX-_?=", undefined],
  ["=?base64?/w==?=", undefined],
  ["=?base64?=?=", undefined],
  // Marks are exact: anything else is a plain value.
  ["=?BASE64?ZXU=?=", "=?BASE64?ZXU=?="],
  ["=?base64?ZXU=", "=?base64?ZXU="],
  ["base64?ZXU=?=", "base64?ZXU=?="],
];

Deno.test("decodeHeader() is strict", async (t) => {
  for (const [header, text] of DECODED) {
    await t.step(JSON.stringify(header), () => assertEquals(decodeHeader(header), text));
  }
});

const DECLARED = [
  { name: "Region", path: ["region"] },
  { name: "Deep", path: ["a", "b"] },
] as const;

/** Arguments, headers, and what is wrong with them. */
const PARAMS: readonly (readonly [JsonObject, Readonly<Record<string, string>>, string?])[] = [
  [{}, {}],
  [{ region: null }, {}],
  [{ region: "eu" }, { "mcp-param-region": "eu" }],
  [{ region: 42 }, { "mcp-param-region": "42" }],
  [{ region: 42 }, { "mcp-param-region": "42.0" }],
  [{ region: -7 }, { "mcp-param-region": "-7" }],
  [{ region: true }, { "mcp-param-region": "true" }],
  [{ region: "" }, { "mcp-param-region": "" }],
  [{ a: { b: "x" } }, { "mcp-param-deep": "x" }],
  [{ region: "eu" }, {}, "Mcp-Param-Region is missing"],
  [{ region: "eu" }, { "mcp-param-region": "EU" }, "must be the argument"],
  [{ region: "eu" }, { "mcp-param-region": "=?base64?!?=" }, "not valid Base64"],
  [{ region: 42 }, { "mcp-param-region": "43" }, "must be the argument"],
  [{ region: 42 }, { "mcp-param-region": "0x2a" }, "must be the argument"],
  [{ region: 42 }, { "mcp-param-region": " 42" }, "must be the argument"],
  [{ region: 42 }, { "mcp-param-region": "4.2e1" }, "must be the argument"],
  [{ region: false }, { "mcp-param-region": "False" }, "must be the argument"],
  [{}, { "mcp-param-region": "eu" }, "has no argument"],
  [{ region: null }, { "mcp-param-region": "null" }, "has no argument"],
  [{ a: { b: "x" } }, {}, "Mcp-Param-Deep is missing"],
  [{ a: "b" }, { "mcp-param-deep": "x" }, "has no argument"],
  // The schema refuses what is of the wrong type.
  [{ region: ["eu"] }, { "mcp-param-region": "eu" }],
];

Deno.test("checkParamHeaders() compares by type", async (t) => {
  for (const [given, headers, words] of PARAMS) {
    await t.step(`${JSON.stringify(given)} ${JSON.stringify(headers)}`, () => {
      const run = () => checkParamHeaders(DECLARED, given, new Map(Object.entries(headers)));
      if (words === undefined) run();
      else assertMismatch(run, words);
    });
  }
});

Deno.test("checkParamHeaders() finds own members only", () => {
  const declared = [{ name: "A", path: ["constructor", "name"] }];
  checkParamHeaders(declared, {}, new Map());
});
