// What an untouched domain event means to an MCP client that gets one result: text, a block, the end, a failure, or
// nothing. Native streaming clients get the event as it is.

import { isObject, type JsonObject, type JsonValue } from "../jsonrpc/message.ts";
import type { ContentBlock } from "../mcp/model.ts";

/** The meaning of one domain event. */
export type Meaning =
  | { readonly kind: "nothing" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "block"; readonly block: ContentBlock }
  | { readonly kind: "failure"; readonly message: string }
  | { readonly kind: "end"; readonly result: JsonValue | undefined };

const NOTHING: Meaning = { kind: "nothing" };

/** Reads an event by its `type`; an unknown one is shown as JSON, so that nothing is lost. */
export function toMeaning(data: JsonValue): Meaning {
  if (typeof data === "string") return { kind: "text", text: data };
  if (!isObject(data)) return { kind: "note", text: JSON.stringify(data) };
  switch (data.type) {
    case "start":
    case "chat_start":
    case "thinking":
    case "stderr":
    case "progress":
      return NOTHING;
    case "data":
      return data.content === undefined ? NOTHING : toMeaning(data.content);
    case "content":
    case "chat_content":
      return { kind: "text", text: textOf(data.text ?? data.content ?? "") };
    case "stdout":
      return { kind: "text", text: `${textOf(data.line ?? data.data ?? "")}\n` };
    case "tool_use":
      return { kind: "note", text: toolUseText(data) };
    case "error":
      return { kind: "failure", message: textOf(data.message ?? data.error ?? "Tool failed") };
    case "exit":
      return data.code === 0
        ? { kind: "end", result: undefined }
        : { kind: "failure", message: `Exited with code ${textOf(data.code ?? "unknown")}` };
    case "complete":
    case "chat_complete":
    case "done":
      return { kind: "end", result: data.result };
    default:
      return toBlock(data);
  }
}

function toBlock(data: JsonObject): Meaning {
  const { type, text, mimeType, resource } = data;
  if (type === "text" && typeof text === "string") return { kind: "block", block: { type, text } };
  if ((type === "image" || type === "audio") && typeof mimeType === "string") {
    return { kind: "block", block: { type, data: textOf(data.data ?? ""), mimeType } };
  }
  if (type === "resource" && isObject(resource) && typeof resource.uri === "string") {
    const { uri } = resource;
    const mime = typeof resource.mimeType === "string" ? { mimeType: resource.mimeType } : {};
    const body = typeof resource.blob === "string"
      ? { blob: resource.blob }
      : { text: textOf(resource.text ?? "") };
    return { kind: "block", block: { type, resource: { uri, ...mime, ...body } } };
  }
  return { kind: "note", text: JSON.stringify(data) };
}

function toolUseText(data: JsonObject): string {
  return `[Tool: ${textOf(data.tool_name ?? data.name ?? "unknown")}] ${textOf(data.input ?? {})}`;
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
