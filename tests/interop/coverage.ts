// Which client does what. Read it as the summary of the interop tests; they fail when it is not true.

/** The clients, in the order of the table's columns. */
export const CLIENTS: readonly string[] = [
  "sdk v1",
  "sdk v2 legacy",
  "sdk v2 auto",
  "sdk v2 2026-07-28",
  "inspector legacy",
  "inspector modern",
];

/**
 * - yes: the client did it and saw exactly what its test expects;
 * - unasked: the client offers no answers, and the tool says so;
 * - gone: the client's revision has it no more, and the client does not send it;
 * - no: the client cannot do it, or its revision does it otherwise.
 */
export type Mark = "yes" | "unasked" | "gone" | "no";

/** One row a feature, one column a client. */
// deno-fmt-ignore
export const COVERAGE: Readonly<Record<string, readonly Mark[]>> = {
  //                          sdk v1  v2 legacy  v2 auto  v2 pinned  inspector legacy  modern
  "connect":                  ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "ping":                     ["yes", "yes",     "gone",  "gone",    "no",             "no"],
  "tools/list":               ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "a tool's definition":      ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "tools/call":               ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "unknown tool":             ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "bad arguments":            ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "elicitation":              ["yes", "yes",     "yes",   "yes",     "unasked",        "unasked"],
  "sampling":                 ["yes", "yes",     "yes",   "yes",     "unasked",        "unasked"],
  "roots":                    ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "tasks":                    ["yes", "yes",     "unasked", "unasked", "yes",          "yes"],
  "asking what is offered":   ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "without capabilities":     ["unasked", "unasked", "unasked", "unasked", "no",       "no"],
  "resources/list":           ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "resources/templates/list": ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "resources/read":           ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "unknown resource":         ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "resources/subscribe":      ["yes", "yes",     "no",    "no",      "no",             "no"],
  "subscriptions/listen":     ["no",  "no",      "yes",   "yes",     "no",             "no"],
  "list_changed, updated":    ["yes", "yes",     "yes",   "yes",     "no",             "no"],
  "prompts/list":             ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "prompts/get":              ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "a prompt that asks":       ["yes", "yes",     "yes",   "yes",     "unasked",        "unasked"],
  "unknown prompt":           ["yes", "yes",     "yes",   "yes",     "yes",            "yes"],
  "completion":               ["yes", "yes",     "yes",   "yes",     "no",             "no"],
  "logging":                  ["yes", "yes",     "yes",   "yes",     "yes",            "gone"],
  "progress":                 ["yes", "yes",     "yes",   "yes",     "no",             "no"],
  "cancel":                   ["yes", "yes",     "yes",   "yes",     "no",             "no"],
  "pagination":               ["yes", "yes",     "yes",   "yes",     "no",             "no"],
};
