// What a request's metadata says, and what is refused.

import { assertEquals, assertObjectMatch, assertThrows } from "@std/assert";
import { type JsonObject, type JsonValue, RpcError } from "../../../src/jsonrpc/message.ts";
import {
  declaresTasks,
  findMeta,
  findProgressToken,
  isStateless,
  missingTasks,
  parseStatelessMeta,
} from "../../../src/mcp/params.ts";

const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const LEVEL = "io.modelcontextprotocol/logLevel";

const REFUSED: readonly (readonly [string, JsonObject | undefined, number, string])[] = [
  ["no metadata", undefined, -32602, VERSION],
  ["no revision", { [CAPABILITIES]: {} }, -32602, VERSION],
  ["a revision that is no string", { [VERSION]: 1, [CAPABILITIES]: {} }, -32602, VERSION],
  ["no capabilities", { [VERSION]: "2026-07-28" }, -32602, CAPABILITIES],
  [
    "capabilities that are no object",
    { [VERSION]: "2026-07-28", [CAPABILITIES]: [] },
    -32602,
    CAPABILITIES,
  ],
  [
    "a revision that is not spoken",
    { [VERSION]: "2099-01-01", [CAPABILITIES]: {} },
    -32022,
    "Unsupported protocol version",
  ],
  [
    "a handshake revision",
    { [VERSION]: "2025-11-25", [CAPABILITIES]: {} },
    -32022,
    "Unsupported protocol version",
  ],
  [
    "an unknown level",
    { [VERSION]: "2026-07-28", [CAPABILITIES]: {}, [LEVEL]: "loud" },
    -32602,
    "a level must be one of debug,",
  ],
  [
    "a level that is null",
    { [VERSION]: "2026-07-28", [CAPABILITIES]: {}, [LEVEL]: null },
    -32602,
    LEVEL,
  ],
];

Deno.test("parseStatelessMeta() refuses what is missing or unknown", async (t) => {
  for (const [name, meta, code, message] of REFUSED) {
    await t.step(name, () => {
      assertEquals(assertThrows(() => parseStatelessMeta(meta), RpcError, message).code, code);
    });
  }
});

Deno.test("parseStatelessMeta() names the revisions that work", () => {
  const meta = { [VERSION]: "2099-01-01", [CAPABILITIES]: {} };
  const error = assertThrows(() => parseStatelessMeta(meta), RpcError);
  assertObjectMatch({ data: error.data }, {
    data: { supported: ["2026-07-28"], requested: "2099-01-01" },
  });
});

Deno.test("parseStatelessMeta() reads revision, capabilities and level", () => {
  const meta = { [VERSION]: "2026-07-28", [CAPABILITIES]: { roots: {} } };
  assertEquals(parseStatelessMeta(meta), {
    revision: "2026-07-28",
    capabilities: { roots: {} },
    logLevel: undefined,
  });
  assertEquals(parseStatelessMeta({ ...meta, [LEVEL]: "debug" }).logLevel, "debug");
});

Deno.test("findMeta() finds an object only", () => {
  for (const params of [undefined, null, [], 1, {}, { _meta: null }, { _meta: [] }]) {
    assertEquals(findMeta(params), undefined);
  }
  assertEquals(findMeta({ _meta: { a: 1 } }), { a: 1 });
});

Deno.test("isStateless() goes by either key of the stateless wire", () => {
  assertEquals(isStateless(undefined), false);
  assertEquals(isStateless({ progressToken: 1, [LEVEL]: "debug" }), false);
  assertEquals(isStateless({ [VERSION]: 1 }), true);
  assertEquals(isStateless({ [CAPABILITIES]: null }), true);
});

Deno.test("declaresTasks() wants the extension's own object", () => {
  const id = "io.modelcontextprotocol/tasks";
  assertEquals(declaresTasks({ extensions: { [id]: {} } }), true);
  assertEquals(declaresTasks({ extensions: { [id]: { later: 1 }, other: {} } }), true);
  const without: readonly JsonObject[] = [
    {},
    { extensions: undefined },
    { extensions: {} },
    { extensions: { [id]: null } },
    { extensions: { [id]: true } },
    { extensions: { [id]: [] } },
    { extensions: [id] },
    { tasks: {} },
  ];
  for (const capabilities of without) assertEquals(declaresTasks(capabilities), false);
});

Deno.test("missingTasks() names the extension", () => {
  const { code, data } = missingTasks();
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  assertEquals([code, data], [-32021, { requiredCapabilities: { extensions } }]);
});

Deno.test("findProgressToken() takes strings and integers, as they are", () => {
  const REFUSED: readonly (JsonValue | undefined)[] = [undefined, null, 1.5, 2 ** 53, true, {}, []];
  for (const progressToken of REFUSED) {
    assertEquals(findProgressToken({ progressToken }), undefined);
  }
  assertEquals(findProgressToken(undefined), undefined);
  for (const progressToken of ["", "a", 0, -1]) {
    assertEquals(findProgressToken({ progressToken }), progressToken);
  }
});
