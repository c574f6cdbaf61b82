// What a client saw, as one JSON document, and how results are written in it: one line each, so that a table of
// expectations stays readable.

/** A client's journey through the fixture: a line or a few for each thing it did. */
export interface Report {
  readonly client: string;
  readonly era: "legacy" | "modern";
  /** By feature; what a client does not offer is not there. */
  readonly seen: Readonly<Record<string, unknown>>;
  /** What the client's library complained of. */
  readonly complaints: readonly string[];
  /** What the server wrote to stderr. */
  readonly stderr: string;
}

/** Prints a report on stdout. */
export async function printReport(report: Report): Promise<void> {
  await new Blob([JSON.stringify(report)]).stream().pipeTo(Deno.stdout.writable);
}

/** A content block of any kind and revision. */
export interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly resource?: unknown;
}

/** A tool's result. */
export interface ToolResult {
  readonly content?: readonly Block[] | undefined;
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

/** A resource's contents. */
export interface Contents {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: unknown;
  readonly blob?: unknown;
}

/** A prompt's messages. */
export interface PromptResult {
  readonly messages: readonly { readonly role: string; readonly content: Block }[];
}

/** Completed values. */
export interface CompletionResult {
  readonly values: readonly string[];
  readonly total?: number | undefined;
  readonly hasMore?: boolean | undefined;
}

/** Writes a tool's result on one line. */
export function showToolResult({ content = [], structuredContent, isError }: ToolResult): string {
  const blocks = content.map(showBlock).join(" + ");
  const structured = structuredContent === undefined
    ? ""
    : ` = ${JSON.stringify(structuredContent)}`;
  return `${isError === true ? "failed: " : ""}${blocks}${structured}`;
}

/** Writes a resource's contents on one line. */
export function showContents(contents: readonly Contents[]): string {
  return contents.map(({ uri, mimeType, text, blob }) =>
    `${uri} ${mimeType}: ${text ?? `${String(blob).length} of base64`}`
  ).join(" + ");
}

/** Writes a prompt's messages on one line. */
export function showPrompt({ messages }: PromptResult): string {
  return messages.map(({ role, content }) => `${role}: ${showBlock(content)}`).join(" + ");
}

/** Writes a completion on one line; of many values the first tells enough. */
export function showCompletion({ values, total, hasMore }: CompletionResult): string {
  return `${values.length} of ${total}, first ${values[0]}${hasMore === true ? ", and more" : ""}`;
}

/** Writes what a client's library throws; its own wording of the code is left out. */
export function showError(error: unknown): string {
  if (!(error instanceof Error)) return `error: ${error}`;
  const code = "code" in error ? ` ${error.code}` : "";
  return `error${code}: ${error.message.replace(/^MCP error -?\d+: /, "")}`;
}

function showBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return String(block.text);
    case "image":
    case "audio":
      return `<${block.mimeType}, ${String(block.data).length} of base64>`;
    case "resource_link":
      return `<link ${block.uri}>`;
    default:
      return `<${block.type} ${JSON.stringify(block.resource)}>`;
  }
}
