// Whether a line of the server's stdout is a JSON-RPC 2.0 message.

/** A message from the server, as far as tests look into it. */
export interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What is wrong with a line, if anything. A batch is right when each of its members is. */
export function findMessageFault(line: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return "not JSON";
  }
  if (!Array.isArray(value)) return findFault(value);
  if (value.length === 0) return "an empty batch";
  return value.map(findFault).find((fault) => fault !== undefined);
}

function findFault(value: unknown): string | undefined {
  if (!isRecord(value)) return "not an object";
  if (value.jsonrpc !== "2.0") return "not of version 2.0";
  return value.method === undefined ? findAnswerFault(value) : findCallFault(value);
}

function findCallFault({ method, id, params, result, error }: Record<string, unknown>) {
  if (typeof method !== "string") return "a method that is no string";
  if (id !== undefined && !isId(id)) return "a bad id";
  if (params !== undefined && !isRecord(params)) return "parameters that are no object";
  return result === undefined && error === undefined ? undefined : "both call and answer";
}

function findAnswerFault({ id, result, error }: Record<string, unknown>) {
  if ((result === undefined) === (error === undefined)) return "not one of result and error";
  if (error === undefined) return isId(id) && isRecord(result) ? undefined : "a bad result";
  if (id !== undefined && id !== null && !isId(id)) return "a bad id";
  if (!isRecord(error)) return "an error that is no object";
  return Number.isInteger(error.code) && typeof error.message === "string"
    ? undefined
    : "an error without code and message";
}

function isId(value: unknown): boolean {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
