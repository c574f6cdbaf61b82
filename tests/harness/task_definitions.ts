// What the tasks extension adds to the schema of 2026-07-28, which leaves extensions out: written here from the
// extension's own page (specification 2026-07-28, tasks), with references into the official schema.

const TIME = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$" };
const MILLISECONDS = { type: "integer", minimum: 1 };

/** Members that belong to one state alone, or to another mechanism. */
const FOREIGN = ["result", "error", "inputRequests", "requestState", "task", "ttl", "pollInterval"];

/** A detailed task in one state: what it must have, and nothing of another state. */
function detailed(status: string, details: Readonly<Record<string, unknown>>) {
  const names = Object.keys(details);
  return {
    allOf: [{ $ref: "#/$defs/Task" }],
    properties: { status: { const: status }, ...details },
    required: ["status", ...names],
    not: without(FOREIGN.filter((name) => !names.includes(name))),
  };
}

function without(names: readonly string[]) {
  return { anyOf: names.map((name) => ({ required: [name] })) };
}

/** The extension's definitions by name. */
export const TASK_DEFINITIONS = {
  Task: {
    type: "object",
    properties: {
      taskId: { type: "string", minLength: 22 },
      status: { enum: ["working", "input_required", "completed", "failed", "cancelled"] },
      statusMessage: { type: "string" },
      createdAt: TIME,
      lastUpdatedAt: TIME,
      ttlMs: MILLISECONDS,
      pollIntervalMs: MILLISECONDS,
    },
    required: ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"],
  },
  CreateTaskResult: {
    allOf: [{ $ref: "#/$defs/Result" }, { $ref: "#/$defs/Task" }],
    properties: { resultType: { const: "task" } },
    not: without(FOREIGN),
  },
  DetailedTask: {
    oneOf: [
      detailed("working", {}),
      detailed("input_required", {
        inputRequests: { $ref: "#/$defs/InputRequests", minProperties: 1 },
      }),
      detailed("completed", {
        result: {
          $ref: "#/$defs/CallToolResult",
          properties: {
            resultType: { const: "complete" },
            _meta: { properties: { "io.modelcontextprotocol/related-task": false } },
          },
        },
      }),
      detailed("failed", { error: { $ref: "#/$defs/Error" } }),
      detailed("cancelled", {}),
    ],
  },
  GetTaskResult: {
    allOf: [{ $ref: "#/$defs/Result" }, { $ref: "#/$defs/DetailedTask" }],
    properties: { resultType: { const: "complete" } },
  },
  TaskAcknowledgement: {
    allOf: [{ $ref: "#/$defs/Result" }],
    properties: { resultType: { const: "complete" }, _meta: true },
    additionalProperties: false,
  },
  TaskNotification: {
    type: "object",
    properties: {
      method: { const: "notifications/tasks" },
      params: {
        allOf: [{ $ref: "#/$defs/DetailedTask" }],
        properties: {
          _meta: { type: "object", required: ["io.modelcontextprotocol/subscriptionId"] },
        },
        required: ["_meta"],
      },
    },
    required: ["method", "params"],
  },
} as const;
