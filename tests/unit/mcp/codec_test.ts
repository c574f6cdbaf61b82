// Results and notifications on the wire of each revision.

import { assertEquals, assertThrows } from "@std/assert";
import { getCodec, toSeal } from "../../../src/mcp/codec.ts";
import type { Result, Task, TaskState } from "../../../src/mcp/model.ts";
import { HANDSHAKE_REVISIONS, type Revision } from "../../../src/mcp/revision.ts";

const SERVER = { implementation: { name: "s", version: "1", title: "S" }, instructions: "Ask." };
const CONTEXT = {
  server: SERVER,
  seal: toSeal(SERVER),
  cache: { ttlMs: 5, scope: "public" },
} as const;
const ALL = {
  tools: true,
  resources: true,
  prompts: true,
  completions: true,
  subscriptions: true,
  listChanges: { tools: true, resources: true, prompts: true },
};
const NONE = {
  tools: false,
  resources: false,
  prompts: false,
  completions: false,
  subscriptions: false,
  listChanges: { tools: false, resources: false, prompts: false },
};
const SERVER_INFO = { "io.modelcontextprotocol/serverInfo": SERVER.implementation };
const SEAL = { resultType: "complete", _meta: SERVER_INFO };
const CACHE = { ttlMs: 5, cacheScope: "public" };

function encode(result: Result, revision: Revision): unknown {
  return JSON.parse(JSON.stringify(getCodec(revision).encode(result, CONTEXT)));
}

Deno.test("getCodec() throws for a revision that it does not have", () => {
  const unknown = JSON.parse('"2020-01-01"');
  assertThrows(() => getCodec(unknown), RangeError, '"2020-01-01"');
});

const PLAIN: readonly (readonly [Result, object, boolean])[] = [
  [{ kind: "empty" }, {}, false],
  [{ kind: "tools", items: [] }, { tools: [] }, true],
  [{ kind: "tools", items: [], nextCursor: "n" }, { tools: [], nextCursor: "n" }, true],
  [{ kind: "resources", items: [] }, { resources: [] }, true],
  [{ kind: "resourceTemplates", items: [] }, { resourceTemplates: [] }, true],
  [{ kind: "prompts", items: [] }, { prompts: [] }, true],
  [{ kind: "contents", contents: [{ uri: "a:b", text: "" }] }, {
    contents: [{ uri: "a:b", text: "" }],
  }, true],
  [{ kind: "call", content: [], isError: false }, { content: [] }, false],
  [{ kind: "call", content: [{ type: "text", text: "a" }], isError: true }, {
    content: [{ type: "text", text: "a" }],
    isError: true,
  }, false],
  [
    { kind: "messages", messages: [{ role: "user", content: { type: "text", text: "a" } }] },
    { messages: [{ role: "user", content: { type: "text", text: "a" } }] },
    false,
  ],
  [
    { kind: "messages", messages: [], description: "D" },
    { messages: [], description: "D" },
    false,
  ],
  [
    { kind: "completion", values: ["a"], total: 2, hasMore: true },
    { completion: { values: ["a"], total: 2, hasMore: true } },
    false,
  ],
  [
    { kind: "completion", values: [], hasMore: false },
    { completion: { values: [], hasMore: false } },
    false,
  ],
];

Deno.test("Codec.encode() writes bare results on the handshake wire", async (t) => {
  for (const [result, wire] of PLAIN) {
    await t.step(JSON.stringify(result), () => {
      for (const revision of HANDSHAKE_REVISIONS) {
        assertEquals<unknown>(encode(result, revision), wire, revision);
      }
    });
  }
});

Deno.test("Codec.encode() seals results on the stateless wire, lists and contents with a hint", async (t) => {
  for (const [result, wire, isCacheable] of PLAIN) {
    await t.step(JSON.stringify(result), () => {
      assertEquals<unknown>(encode(result, "2026-07-28"), {
        ...wire,
        ...(isCacheable ? CACHE : {}),
        ...SEAL,
      });
    });
  }
});

Deno.test("Codec.encode() fits structured content to the revision", () => {
  const CASES = [
    { value: { a: 1 }, seenBy: ["2025-06-18", "2025-11-25", "2026-07-28"] },
    { value: [1], seenBy: ["2026-07-28"] },
    { value: "a", seenBy: ["2026-07-28"] },
    { value: null, seenBy: ["2026-07-28"] },
  ] as const;
  for (const { value, seenBy } of CASES) {
    const result: Result = { kind: "call", content: [], structured: value, isError: false };
    const seen = ([...HANDSHAKE_REVISIONS, "2026-07-28"] as const).filter((revision) => {
      const encoded = getCodec(revision).encode(result, CONTEXT);
      return encoded.structuredContent !== undefined;
    });
    assertEquals<readonly string[]>(seen, seenBy, JSON.stringify(value));
  }
});

Deno.test("Codec.encode() greets in the client's revision", () => {
  const capabilities = {
    logging: {},
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
  };
  const result: Result = { kind: "initialize", features: ALL, server: SERVER };
  assertEquals(encode(result, "2024-11-05"), {
    protocolVersion: "2024-11-05",
    capabilities,
    serverInfo: { name: "s", version: "1" },
    instructions: "Ask.",
  });
  assertEquals(encode(result, "2025-06-18"), {
    protocolVersion: "2025-06-18",
    capabilities: { ...capabilities, completions: {} },
    serverInfo: { name: "s", version: "1", title: "S" },
    instructions: "Ask.",
  });
  const quiet: Result = {
    kind: "initialize",
    features: { ...ALL, listChanges: { tools: false, resources: false, prompts: true } },
    server: SERVER,
  };
  assertEquals(encode(quiet, "2024-11-05"), {
    protocolVersion: "2024-11-05",
    capabilities: { ...capabilities, tools: {}, resources: { subscribe: true } },
    serverInfo: { name: "s", version: "1" },
    instructions: "Ask.",
  });
  const minimal: Result = {
    kind: "initialize",
    features: NONE,
    server: { implementation: SERVER.implementation },
  };
  assertEquals(encode(minimal, "2025-11-25"), {
    protocolVersion: "2025-11-25",
    capabilities: { logging: {} },
    serverInfo: SERVER.implementation,
  });
});

const TASK: Omit<Task, "state"> = {
  taskId: "id",
  createdAt: 0,
  updatedAt: 1500,
  ttlMs: 5,
  pollIntervalMs: 6,
};

const WIRE_TASK = {
  taskId: "id",
  createdAt: "1970-01-01T00:00:00.000Z",
  lastUpdatedAt: "1970-01-01T00:00:01.500Z",
  ttlMs: 5,
  pollIntervalMs: 6,
};

const ROOTS = new Map([["__proto__", { method: "roots/list", params: undefined }]]);

const STATES: readonly (readonly [TaskState, object])[] = [
  [{ status: "working" }, {}],
  [{ status: "cancelled" }, {}],
  [{ status: "input_required", requests: ROOTS }, {
    inputRequests: JSON.parse('{"__proto__":{"method":"roots/list"}}'),
  }],
  [
    { status: "completed", result: { kind: "call", content: [], structured: 1, isError: true } },
    {
      result: { content: [], structuredContent: 1, isError: true, resultType: "complete" },
    },
  ],
  [{ status: "failed", error: { code: 1, message: "m", data: undefined } }, {
    error: { code: 1, message: "m" },
  }],
];

Deno.test("Codec.encode() writes a task bare when it is created and with its details later", () => {
  for (const [state, details] of STATES) {
    const { status } = state;
    const task = { ...TASK, state };
    assertEquals<unknown>(encode({ kind: "task_created", task }, "2026-07-28"), {
      ...WIRE_TASK,
      status,
      resultType: "task",
      _meta: SERVER_INFO,
    });
    const detailed = { ...WIRE_TASK, status, ...details };
    assertEquals<unknown>(encode({ kind: "task", task }, "2026-07-28"), { ...detailed, ...SEAL });
    const told = getCodec("2026-07-28").encodeTask(task);
    assertEquals<unknown>(JSON.parse(JSON.stringify(told)), detailed);
  }
});

Deno.test("Codec.encode() writes what only the stateless wire has", () => {
  assertEquals(encode({ kind: "discover", features: NONE, server: SERVER }, "2026-07-28"), {
    supportedVersions: ["2026-07-28"],
    capabilities: { logging: {} },
    instructions: "Ask.",
    ...CACHE,
    ...SEAL,
  });
  assertEquals(encode({ kind: "listened", subscriptionId: 7 }, "2026-07-28"), {
    resultType: "complete",
    _meta: { "io.modelcontextprotocol/subscriptionId": 7, ...SERVER_INFO },
  });
  const requests = new Map([["a", { method: "roots/list", params: undefined }]]);
  assertEquals(encode({ kind: "input_required", requests, state: "s" }, "2026-07-28"), {
    inputRequests: { a: { method: "roots/list" } },
    requestState: "s",
    resultType: "input_required",
    _meta: SERVER_INFO,
  });
});

Deno.test("Codec.encode() keeps a question under a hostile key", () => {
  const requests = new Map([["__proto__", { method: "roots/list", params: undefined }]]);
  const text = JSON.stringify(
    getCodec("2026-07-28").encode({ kind: "input_required", requests, state: "s" }, CONTEXT),
  );
  assertEquals(text.includes('"__proto__":{"method":"roots/list"}'), true);
});

Deno.test("Codec.encodeProgress() has a message from 2025-03-26 on", () => {
  const progress = { progressToken: 1, progress: 2, message: "m" };
  assertEquals(getCodec("2024-11-05").encodeProgress(progress), { progressToken: 1, progress: 2 });
  for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const) {
    assertEquals(getCodec(revision).encodeProgress(progress), progress);
  }
  const silent = { progressToken: 1, progress: 2 };
  assertEquals(getCodec("2025-11-25").encodeProgress({ ...silent, message: undefined }), silent);
});

Deno.test("Codec.shape tells what differs between revisions", () => {
  const rows = ([...HANDSHAKE_REVISIONS, "2026-07-28"] as const).map((revision) => {
    const { shape } = getCodec(revision);
    return [
      shape.revision,
      shape.wire,
      shape.batches,
      shape.elicitation,
      shape.unreadableId === null ? "null" : "none",
      shape.resourceNotFound,
    ];
  });
  assertEquals<unknown>(rows, [
    ["2024-11-05", "handshake", false, "none", "null", -32002],
    ["2025-03-26", "handshake", true, "none", "null", -32002],
    ["2025-06-18", "handshake", false, "form", "null", -32002],
    ["2025-11-25", "handshake", false, "form and url", "none", -32002],
    ["2026-07-28", "stateless", false, "form and url", "none", -32602],
  ]);
});
