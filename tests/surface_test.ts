// What others rely on, written out: a change here is a change for them. Nothing in the lists is computed.

import { assertEquals } from "@std/assert";
import * as library from "../mod.ts";
import { COMMANDS } from "../src/cli/main.ts";
import { VERSION } from "../src/cli/command.ts";
import { findExports, maskLiterals } from "./architecture/source.ts";

const VALUES = ["DEFAULT_LIMITS", "Gateway", "RpcError", "createLog", "serveLines"];

const TYPES = [
  "Activation",
  "ActivationRequest",
  "Annotations",
  "Answer",
  "CacheHint",
  "Call",
  "CallEvent",
  "Change",
  "Completion",
  "CompletionReference",
  "CompletionRequest",
  "ContentBlock",
  "Features",
  "GatewayOptions",
  "Icon",
  "Implementation",
  "Inquiry",
  "JsonObject",
  "JsonValue",
  "Limits",
  "Log",
  "LogLevel",
  "LogOptions",
  "Page",
  "Prompt",
  "PromptArgument",
  "PromptMessage",
  "PromptRequest",
  "PromptSource",
  "Provider",
  "Question",
  "RenderedPrompt",
  "Resource",
  "ResourceContents",
  "ResourceSource",
  "ResourceTemplate",
  "Result",
  "Root",
  "ServeLinesOptions",
  "ServerIdentity",
  "Task",
  "TaskState",
  "Tool",
  "ToolAnnotations",
  "ToolResult",
  "WireQuestion",
];

/** Each an entry of its own: the library and all commands, HTTP, and every mode as a program. */
const ENTRIES = {
  ".": "./mod.ts",
  "./http": "./http.ts",
  "./modes/bn": "./modes/bn.ts",
  "./modes/demo": "./modes/demo.ts",
  "./modes/reader": "./modes/reader.ts",
};

const COMMAND_NAMES = ["demo", "permissions", "bn", "reader", "bcp", "init", "doctor"];

/** JSON-RPC's five, the guard of a session or an unknown resource, and the three of MCP 2026-07-28. */
const ERROR_CODES = [-32002, -32020, -32021, -32022, -32600, -32601, -32602, -32603, -32700];

const ENVIRONMENT = ["BULKHEAD_LAUNCH", "BULKHEAD_LOG_LEVEL"];

Deno.test("mod.ts exports exactly these values", () => {
  assertEquals(Object.keys(library).sort(), VALUES);
});

Deno.test("mod.ts exports exactly these types", async () => {
  const text = await Deno.readTextFile("mod.ts");
  const names: string[] = [];
  for (const [, typeOnly, list = ""] of text.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const item of list.split(",").map((word) => word.trim())) {
      if (item.startsWith("type ")) names.push(item.slice("type ".length));
      else if (item !== "" && typeOnly !== undefined) names.push(item);
    }
  }
  for (const [, path = ""] of text.matchAll(/^export type \* from "\.\/([^"]+)"/gm)) {
    const exports = findExports(await Deno.readTextFile(path));
    names.push(...exports.map(({ name }) => name));
  }
  assertEquals(names.sort(), TYPES);
});

Deno.test("COMMANDS are exactly these, each with a summary and examples", async () => {
  assertEquals(Object.keys(COMMANDS), COMMAND_NAMES);
  for (const [name, load] of Object.entries(COMMANDS)) {
    const command = await load();
    assertEquals(command.summary.includes("\n"), false, name);
    const help = await command.help();
    assertEquals(help.includes(`mod.ts ${name}`) && help.includes("Examples:"), true, name);
  }
});

Deno.test("src/ uses exactly these error codes", async () => {
  const found = await findAll("src", (text) => maskLiterals(text).match(/-32\d{3}\b/g));
  assertEquals(found.map(Number).sort((a, b) => b - a), ERROR_CODES);
});

Deno.test("src/ knows exactly these environment variables", async () => {
  assertEquals(await findAll("src", (text) => text.match(/\bBULKHEAD_[A-Z_]+/g)), ENVIRONMENT);
});

Deno.test("deno.json has exactly these entries, and VERSION", async () => {
  const config: unknown = JSON.parse(await Deno.readTextFile("deno.json"));
  assertEquals(config, { ...Object(config), version: VERSION, exports: ENTRIES });
});

async function findAll(
  folder: string,
  find: (text: string) => readonly string[] | null,
): Promise<string[]> {
  const found = new Set<string>();
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    const matches = isDirectory ? await findAll(path, find) : find(await Deno.readTextFile(path));
    for (const match of matches ?? []) found.add(match);
  }
  return [...found].sort();
}
