// The tools of `bn` mode as data: names, schemas and descriptions of document 001, and what the stateless wire needs.

import type { Tool } from "../../mcp/model.ts";

/** Carries working directory and agent where there is no session to remember them. */
const SESSION = {
  type: "string",
  description: 'The "session" that binnacle-set_agent returned; needed only where it returned one',
} as const;

/** What every run of the program tells. */
const RUN_FIELDS = {
  stdout: { type: "string" },
  stderr: { type: "string" },
  exit_code: { type: "integer" },
  timed_out: { type: "boolean" },
  truncated: { type: "boolean" },
  json: { description: "stdout parsed, where it is JSON" },
} as const;

/** All of them. */
export const BN_TOOLS: readonly Tool[] = [
  {
    name: "binnacle-set_agent",
    description: "Initialize binnacle MCP session with working directory and optional agent " +
      "identity. Must be called before using bn_run.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "Absolute path to a binnacle-managed repository" },
        agent_id: {
          type: "string",
          description: "Optional agent ID from a shell-based 'bn orient' call. If provided, MCP " +
            "calls will be attributed to this agent for tracking and goodbye.",
        },
      },
      required: ["path"],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  {
    name: "binnacle-orient",
    description:
      "Register an agent via MCP. Its goodbye cannot end a process: prefer 'bn orient' " +
      "in a shell, then binnacle-set_agent with the agent_id it prints.",
    inputSchema: {
      type: "object",
      properties: {
        type: {
          type: "string",
          enum: ["worker", "planner", "buddy", "ask"],
          default: "worker",
          description: "What kind of agent",
        },
        name: { type: "string", description: "What the agent is called" },
        register: { type: "string", description: "What the agent is for" },
        session: SESSION,
      },
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: "binnacle-goodbye",
    description: "End the agent's registration and say how to terminate. Terminates nothing: a " +
      "linked agent calls 'bn goodbye' in its shell.",
    inputSchema: {
      type: "object",
      properties: {
        summary: { type: "string", description: "What was done" },
        session: SESSION,
      },
    },
    annotations: { readOnlyHint: false, destructiveHint: false },
  },
  {
    name: "bn_run",
    description: "Run a binnacle (bn) CLI command. Returns stdout, stderr, and exit code.",
    inputSchema: {
      type: "object",
      properties: {
        args: {
          type: "array",
          items: { type: "string" },
          description: 'Arguments to pass to bn (e.g., ["ready", "-H"])',
        },
        session: SESSION,
      },
      required: ["args"],
    },
    outputSchema: {
      type: "object",
      properties: RUN_FIELDS,
      required: ["stdout", "stderr", "exit_code"],
    },
  },
];
