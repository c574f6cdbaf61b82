// The section of a project's AGENTS.md that tells agents how to use binnacle. It stands between two marks; everything
// else in the file belongs to the project.

import { type ConfigEdit, findLineEnd } from "./text_edit.ts";

const BEGIN = "<!-- bulkhead:binnacle:begin -->";
const END = "<!-- bulkhead:binnacle:end -->";

const SECTION = `## Binnacle

This project keeps its tasks in binnacle.

1. Run \`bn orient --type worker\` in your shell before anything else; its answer holds your \`agent_id\`.
2. Call the tool \`binnacle-set_agent\` with the path of this repository and that \`agent_id\`.
3. Use the tool \`bn_run\` for every other \`bn\` command, for example \`["ready"]\`.
4. When you are done, run \`bn goodbye "reason"\` in your shell: only there can it end you.`;

/** Adds the section at the end, or brings it up to date where it stands. */
export function setAgentsSection(text: string): ConfigEdit {
  const lineEnd = findLineEnd(text);
  const section = `${BEGIN}\n${SECTION}\n${END}`.replaceAll("\n", lineEnd);
  const found = findSection(text);
  if (found.kind === "refused") return found;
  if (found.kind === "found") {
    if (text.slice(found.start, found.end) === section) return { kind: "unchanged" };
    return {
      kind: "changed",
      text: text.slice(0, found.start) + section + text.slice(found.end),
    };
  }
  const gap = text === "" ? "" : text.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
  return { kind: "changed", text: text + gap + section + lineEnd };
}

/** Takes the section out again. */
export function removeAgentsSection(text: string): ConfigEdit {
  const found = findSection(text);
  if (found.kind === "refused") return found;
  if (found.kind === "missing") return { kind: "unchanged" };
  const after = text.slice(found.end).replace(/^\r?\n/, "");
  return { kind: "changed", text: text.slice(0, found.start).replace(/(\n)\r?\n$/, "$1") + after };
}

type Found =
  | { readonly kind: "found"; readonly start: number; readonly end: number }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly reason: string };

function findSection(text: string): Found {
  const start = text.indexOf(BEGIN);
  const close = text.indexOf(END);
  if (start === -1 && close === -1) return { kind: "missing" };
  const isWhole = start !== -1 && close > start && text.indexOf(BEGIN, start + 1) === -1 &&
    text.indexOf(END, close + 1) === -1;
  return isWhole ? { kind: "found", start, end: close + END.length } : {
    kind: "refused",
    reason: `does not hold exactly one section between "${BEGIN}" and "${END}"; mend it first`,
  };
}
