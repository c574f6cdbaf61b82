// What a client must see of the everything fixture, feature by feature, in the words of `clients/report.ts`.

import { ASKING_PROMPT, DESCRIBED_TOOL } from "./clients/answers.ts";

/** What a feature looks like on the handshake wire and on the stateless one. */
export interface Sight {
  readonly legacy: unknown;
  readonly modern: unknown;
}

function both<Seen>(sight: Seen): { readonly legacy: Seen; readonly modern: Seen } {
  return { legacy: sight, modern: sight };
}

const PIXEL = "<image/png, 96 of base64>";
const ADA = 'accept {"name":"Ada"}';
const PARIS = '{"type":"text","text":"Paris"}';

/** Tools that answer by themselves. */
const PLAIN = {
  greet: "Hello, Ada!",
  "json_schema_2020_12_tool": "Contact Ada",
  "protocol_error_job": "error -32603: The job broke the protocol",
  "slow_compute": "Computed quickly",
  "test_audio_content": "<audio/wav, 60 of base64>",
  "test_embedded_resource": embedded(
    "test://embedded-resource",
    "text/plain",
    "This is an embedded resource content.",
  ),
  "test_error_handling": "failed: This tool intentionally returns an error for testing",
  "test_image_content": PIXEL,
  "test_logging_tool": "Logged",
  "test_multiple_content_types": `Multiple content types test: + ${PIXEL} + ` +
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  "test_reconnection": "Reconnected",
  "test_resource_link": "<link test://static-text>",
  "test_simple_text": "This is a simple text response for testing.",
  "test_structured": '{"answer":42} = {"answer":42}',
  "test_tool_with_logging": "Logged three messages",
  "test_tool_with_progress": "Progressed three times",
  "test_trigger_prompt_change": "Changed",
  "test_trigger_resource_change": "Changed",
  "test_trigger_resource_update": "Updated",
  "test_trigger_tool_change": "Changed",
  "test_x_mcp_header": "Region eu-west",
};

/** Structured content is an object before 2026-07-28; what is none goes as text only. */
const PLAIN_SIGHT: Sight = {
  legacy: { ...PLAIN, "test_structured_list": "[1,2,3]" },
  modern: { ...PLAIN, "test_structured_list": "[1,2,3] = [1,2,3]" },
};

const ELICITATION = {
  "confirm_delete": "decline {}",
  "multi_input": 'accept {"name":"Ada"}; accept {"name":"Grace"}',
  "test_elicitation": 'User response: accept {"username":"ada","email":"ada@example.com"}',
  "test_elicitation_sep1034_defaults":
    'accept {"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true}',
  "test_elicitation_sep1330_enums":
    'accept {"untitledSingle":"option1","titledSingle":"option2","legacyEnum":"opt3",' +
    '"untitledMulti":["option1","option3"],"titledMulti":["option2"]}',
  "test_input_required_result_elicitation": "Hello, Ada!",
  "test_input_required_result_multi_round": 'accept {"name":"Ada"} then accept {"color":"blue"}',
  "test_input_required_result_multiple_inputs": `${ADA}; ${PARIS}; file:///project`,
  "test_input_required_result_request_state": "state-ok",
  "test_input_required_result_tampered_state": "Hello, Ada!",
  "test_streaming_elicitation": ADA,
  "test_tool_with_task": "Hello, Ada!",
};

const SAMPLING = {
  "test_input_required_result_sampling": PARIS,
  "test_missing_capability": PARIS,
  "test_sampling": `LLM response: ${PARIS}`,
};

/** What a client sees that cannot be asked. */
export const UNASKED = "The client does not offer what this request needs: ";

const TASKS = "io.modelcontextprotocol/tasks";

/** A tool that is always a task, where there are tasks: the SDKs do not declare that they know those. */
const TASK_SIGHT: Sight = {
  legacy: { "failing_job": "failed: The job failed" },
  modern: { "failing_job": `error -32021: ${UNASKED}${TASKS}` },
};

/** Features that are tools: all tools stand in one of these, by what they ask the client for. */
export const TOOL_FEATURES = {
  "tools/call": PLAIN_SIGHT,
  "elicitation": both(ELICITATION),
  "sampling": both(SAMPLING),
  "roots": both({ "test_input_required_result_list_roots": "file:///project" }),
  "tasks": TASK_SIGHT,
  "asking what is offered": both({ "test_input_required_result_capabilities": ADA }),
} satisfies Record<string, Sight>;

const STARTED = [
  "info: Tool execution started",
  "info: Tool processing data",
  "info: Tool execution completed",
];

const GREETING = {
  server: { name: "everything", title: "Everything", version: "1.0.0" },
  instructions: "Call any tool.",
  capabilities: {
    logging: {},
    completions: {},
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    tools: { listChanged: true },
  },
};

/** All other features. */
export const FEATURES = {
  "connect": {
    legacy: { revision: "2025-11-25", ...GREETING },
    modern: {
      revision: "2026-07-28",
      ...GREETING,
      capabilities: { ...GREETING.capabilities, extensions: { [TASKS]: {} } },
    },
  },
  "ping": { legacy: {}, modern: gone("ping") },
  "tools/list": both(
    Object.values(TOOL_FEATURES).flatMap(({ modern }) => Object.keys(Object(modern))).sort(),
  ),
  "a tool's definition": both({
    name: DESCRIBED_TOOL,
    title: "Structured",
    description: "Returns structured content",
    inputSchema: { type: "object", properties: {} },
    outputSchema: {
      type: "object",
      properties: { answer: { type: "integer" } },
      required: ["answer"],
    },
    annotations: { readOnlyHint: true },
    icons: [{ src: "https://example.com/icon.png", mimeType: "image/png" }],
  }),
  "unknown tool": both('error -32602: Unknown tool: "nothing"'),
  "bad arguments": both(
    'failed: Cannot call "greet": "name" must be string, not number; correct it and call again',
  ),
  "without capabilities": {
    legacy: `failed: ${UNASKED}sampling`,
    modern: `error -32021: ${UNASKED}sampling`,
  },
  "resources/list": both([
    "test://static-binary",
    "test://static-text",
    "test://watched-resource",
  ]),
  "resources/templates/list": both(["test://template/{id}/data"]),
  "resources/read": both({
    "test://static-text":
      "test://static-text text/plain: This is the content of the static text resource.",
    "test://static-binary": "test://static-binary image/png: 96 of base64",
    "test://watched-resource": "test://watched-resource text/plain: Watched",
    "test://template/7/data": "test://template/7/data application/json: " +
      '{"id":"7","templateTest":true,"data":"Data for ID: 7"}',
  }),
  "unknown resource": {
    legacy: "error -32002: Resource not found",
    modern: "error -32602: Resource not found",
  },
  "resources/subscribe": { legacy: {}, modern: undefined },
  "subscriptions/listen": {
    legacy: undefined,
    modern: {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ["test://watched-resource"],
    },
  },
  "list_changed, updated": both([
    "tools",
    "prompts",
    "resources",
    "test://watched-resource",
    "test://watched-resource",
  ]),
  "prompts/list": both([
    ASKING_PROMPT,
    "test_prompt_with_arguments",
    "test_prompt_with_embedded_resource",
    "test_prompt_with_image",
    "test_simple_prompt",
  ]),
  "prompts/get": both({
    "test_prompt_with_arguments": "user: Prompt with arguments: arg1='one', arg2='two'",
    "test_prompt_with_embedded_resource": `user: ${
      embedded("test://static-text", "text/plain", "Embedded resource content for testing.")
    } + user: Please process the embedded resource above.`,
    "test_prompt_with_image": `user: ${PIXEL} + user: Please analyze the image above.`,
    "test_simple_prompt": "user: This is a simple prompt for testing.",
  }),
  "a prompt that asks": both(
    'user: Context: {"kind":"elicited","action":"accept","content":{"context":"interop"}}',
  ),
  "unknown prompt": both('error -32602: Unknown prompt: "nothing"'),
  "completion": both({
    prompt: "2 of 2, first test-value-1",
    resource: "100 of 150, first 70, and more",
  }),
  "logging": {
    legacy: { unset: STARTED, info: STARTED, error: [] },
    modern: { unset: [], info: STARTED, error: [] },
  },
  "progress": both(["0/100 0 of 100", "50/100 50 of 100", "100/100 100 of 100"]),
  "cancel": both({ canceled: 17, next: "Hello, next!" }),
  "pagination": both({ first: "50 and more", all: 62, kept: true, added: 20 }),
} satisfies Record<string, Sight>;

/** What the SDKs say of a method that the stateless wire has no more; they do not send it. */
export function gone(method: string): string {
  return "error METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: " +
    `Method '${method}' is not supported by the negotiated protocol version (wire era 2026-07-28)`;
}

function embedded(uri: string, mimeType: string, text: string): string {
  return `<resource ${JSON.stringify({ uri, mimeType, text })}>`;
}
