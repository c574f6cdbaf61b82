// The activation of `demo` mode: three harmless tools, a resource and a prompt, to see that a client is connected and
// what this process may touch.

import type {
  Activation,
  ActivationRequest,
  Call,
  CallEvent,
  Provider,
  RenderedPrompt,
  ResourceSource,
} from "../../activation/activation.ts";
import type { Tool } from "../../mcp/model.ts";

const ECHO: Tool = {
  name: "echo",
  title: "Echo",
  description: "Returns the message it is given.",
  inputSchema: {
    type: "object",
    properties: { message: { type: "string", description: "What to say back" } },
    required: ["message"],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const COUNT: Tool = {
  name: "count",
  title: "Count",
  description: "Counts to a number, telling progress on the way; can be canceled.",
  inputSchema: {
    type: "object",
    properties: {
      to: { type: "integer", minimum: 1, maximum: 1000, description: "Where to stop" },
      intervalMs: { type: "integer", minimum: 0, maximum: 10_000, description: "Pause per step" },
    },
    required: ["to"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const PERMISSIONS: Tool = {
  name: "permissions",
  title: "Permissions",
  description: "Tells what the server's own process may touch, as its runtime enforces it.",
  inputSchema: { type: "object", properties: {}, additionalProperties: false },
  outputSchema: {
    type: "object",
    additionalProperties: { enum: ["granted", "partly granted", "denied"] },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const ABOUT_URI = "bulkhead://about";
const ABOUT = "Bulkhead runs every program of an AI agent inside a declared compartment.";

/** Offers the demo. */
export const DEMO_PROVIDER: Provider = {
  kind: "demo",
  activate: ({ namespace }: ActivationRequest) => Promise.resolve(new DemoActivation(namespace)),
};

class DemoActivation implements Activation {
  readonly namespace: string;
  readonly resources: ResourceSource = {
    list: () => Promise.resolve([{ uri: ABOUT_URI, name: "about", mimeType: "text/plain" }]),
    templates: () => Promise.resolve([]),
    read: (uri) =>
      Promise.resolve(
        uri === ABOUT_URI ? [{ uri, mimeType: "text/plain", text: ABOUT }] : undefined,
      ),
  };
  readonly prompts = {
    list: () =>
      Promise.resolve([{
        name: "introduce",
        description: "Asks the model to introduce Bulkhead.",
      }]),
    get: (): Promise<RenderedPrompt> =>
      Promise.resolve({
        messages: [{
          role: "user",
          content: { type: "text", text: `Introduce Bulkhead in two sentences. ${ABOUT}` },
        }],
      }),
  };

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  tools(): readonly Tool[] {
    return [ECHO, COUNT, PERMISSIONS];
  }

  async *call(call: Call): AsyncGenerator<CallEvent> {
    switch (call.tool) {
      case "echo":
        yield { kind: "content", block: { type: "text", text: String(call.arguments.message) } };
        return;
      case "count":
        yield* count(call);
        return;
      case "permissions":
        yield { kind: "structured", value: await queryPermissions() };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

async function* count(call: Call): AsyncGenerator<CallEvent> {
  const total = Number(call.arguments.to);
  const intervalMs = Number(call.arguments.intervalMs ?? 0);
  for (let progress = 1; progress <= total; progress++) {
    await pause(intervalMs, call.signal);
    yield { kind: "progress", progress, total, message: `Counted to ${progress}` };
  }
  yield { kind: "content", block: { type: "text", text: `Counted to ${total}` } };
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, durationMs);
    signal.addEventListener("abort", stop, { once: true });
  });
}

// What this process may touch, asked of the runtime itself. Asking never prompts.

const NAMES = ["read", "write", "net", "env", "run", "sys", "ffi"] as const;

/** The state of each kind of permission. */
export type PermissionStates = {
  readonly [name in typeof NAMES[number]]?: "granted" | "partly granted" | "denied";
};

/** Asks the runtime for the state of every kind of permission. */
export async function queryPermissions(): Promise<PermissionStates> {
  const states: Record<string, "granted" | "partly granted" | "denied"> = {};
  for (const name of NAMES) {
    const status = await Deno.permissions.query({ name });
    if (status.state !== "granted") states[name] = "denied";
    else states[name] = status.partial ? "partly granted" : "granted";
  }
  return states;
}
