// The Inspector's command line on the same journey: one run a request, told as a report like the SDKs' own.

import {
  ASKING_PROMPT,
  DESCRIBED_TOOL,
  PROMPT_ARGUMENTS,
  RESOURCES,
  TOOL_ARGUMENTS,
} from "./clients/answers.ts";
import {
  type Contents,
  type PromptResult,
  type Report,
  showContents,
  showPrompt,
  showToolResult,
  type ToolResult,
} from "./clients/report.ts";
import type { ServerPlace } from "./clients/tour.ts";
import { pathOf, runToEnd } from "./programs.ts";

const PACKAGE = "@modelcontextprotocol/inspector@2.12.0";
const LAUNCH = ["--yes", "--package", PACKAGE, "--", "node", pathOf("clients/inspector.mjs")];

/** A request as the Inspector's arguments. */
export interface Run {
  readonly args: readonly string[];
  readonly era: Report["era"] | "auto";
  /** Runs as the Inspector's own process, as a person would. */
  readonly ownProcess: boolean;
}

/** How a run ended. */
export interface RunEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How several runs ended. */
export interface RunEnds {
  readonly ends: readonly RunEnd[];
  /** Files in the home directory that the runs were given. */
  readonly leftInHome: readonly string[];
}

/** Runs the Inspector once for each request; downloads it when it is not there yet. */
export async function runInspector(
  server: ServerPlace,
  runs: readonly Run[],
): Promise<RunEnds> {
  const head = [...toTarget(server), "--format", "json", "--method"];
  const plan = runs.map(({ args, era, ownProcess }) => (
    { args: [...head, ...args, "--protocol-era", era], ownProcess }
  ));
  return JSON.parse(await runToEnd("npx", LAUNCH, JSON.stringify(plan)));
}

function toTarget(server: ServerPlace): string[] {
  if ("url" in server) return [server.url, "--transport", "http"];
  const variables = Object.entries(server.env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
  return [server.command, ...server.args, ...variables];
}

/** Makes the journey and tells of it. */
export async function visit(
  server: ServerPlace,
  era: Report["era"],
  offer: { readonly tools: readonly string[]; readonly prompts: readonly string[] },
): Promise<Report> {
  const visits = [
    ...LISTS,
    ...offer.tools.map((name) => callOf("tools/call", name, TOOL_ARGUMENTS[name] ?? {})),
    callOf("unknown tool", "nothing", {}),
    callOf("bad arguments", "greet", { name: 7 }),
    ...RESOURCES.map((uri) => readOf("resources/read", uri)),
    readOf("unknown resource", "test://nowhere"),
    ...offer.prompts.filter((name) => name !== ASKING_PROMPT)
      .map((name) => promptOf("prompts/get", name)),
    promptOf("a prompt that asks", ASKING_PROMPT),
    promptOf("unknown prompt", "nothing"),
  ];
  const runs = visits.map(({ args }) => ({ args, era, ownProcess: false }));
  const { ends, leftInHome } = await runInspector(server, runs);
  const seen: Record<string, unknown> = {};
  for (const [index, { feature, key, show }] of visits.entries()) {
    const line = showEnd(ends[index], show);
    seen[feature] = key === undefined ? line : { ...Object(seen[feature]), [key]: line };
  }
  const complaints = leftInHome.map((name) => `Left "${name}" in the home directory`);
  return { client: `inspector ${era}`, era, seen, complaints, stderr: "" };
}

/** Whatever the Inspector prints as a result. */
interface Printed extends ToolResult, Partial<PromptResult> {
  readonly serverInfo?: unknown;
  readonly protocolVersion?: unknown;
  readonly instructions?: unknown;
  readonly capabilities?: unknown;
  readonly tools?: readonly { readonly name: string }[];
  readonly prompts?: readonly { readonly name: string }[];
  readonly resources?: readonly { readonly uri: string }[];
  readonly resourceTemplates?: readonly { readonly uriTemplate: string }[];
  readonly contents?: readonly Contents[];
}

interface Visit {
  readonly args: readonly string[];
  readonly feature: string;
  /** Which of the feature's lines this is, if it has several. */
  readonly key?: string;
  readonly show: (result: Printed) => unknown;
}

const LISTS: readonly Visit[] = [
  {
    feature: "connect",
    args: ["initialize"],
    show: ({ protocolVersion, serverInfo, instructions, capabilities }) => (
      { revision: protocolVersion, server: serverInfo, instructions, capabilities }
    ),
  },
  {
    feature: "tools/list",
    args: ["tools/list"],
    show: ({ tools }) => tools?.map((tool) => tool.name),
  },
  {
    feature: "a tool's definition",
    args: ["tools/list"],
    show: ({ tools }) => tools?.find((tool) => tool.name === DESCRIBED_TOOL),
  },
  {
    feature: "resources/list",
    args: ["resources/list"],
    show: ({ resources }) => resources?.map((resource) => resource.uri),
  },
  {
    feature: "resources/templates/list",
    args: ["resources/templates/list"],
    show: ({ resourceTemplates }) => resourceTemplates?.map((template) => template.uriTemplate),
  },
  {
    feature: "prompts/list",
    args: ["prompts/list"],
    show: ({ prompts }) => prompts?.map((prompt) => prompt.name),
  },
  {
    feature: "logging",
    args: ["logging/setLevel", "--log-level", "error"],
    show: (result) => result,
  },
];

function callOf(feature: string, name: string, given: Record<string, unknown>): Visit {
  const args = ["tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(given)];
  return { feature, ...keyOf(feature, "tools/call", name), args, show: showToolResult };
}

function readOf(feature: string, uri: string): Visit {
  return {
    feature,
    ...keyOf(feature, "resources/read", uri),
    args: ["resources/read", "--uri", uri],
    show: ({ contents = [] }) => showContents(contents),
  };
}

function promptOf(feature: string, name: string): Visit {
  const given = Object.entries(PROMPT_ARGUMENTS[name] ?? {}).map(([key, value]) =>
    `${key}=${value}`
  );
  const options = given.length === 0 ? [] : ["--prompt-args", ...given];
  return {
    feature,
    ...keyOf(feature, "prompts/get", name),
    args: ["prompts/get", "--prompt-name", name, ...options],
    show: ({ messages = [] }) => showPrompt({ messages }),
  };
}

/** Features that are named like their method have a line for each thing asked for. */
function keyOf(feature: string, method: string, key: string): { readonly key?: string } {
  return feature === method ? { key } : {};
}

function showEnd(end: RunEnd | undefined, show: Visit["show"]): unknown {
  if (end === undefined || end.stdout === "") return `error: ${end?.stderr}`;
  const { result }: { result: Printed } = JSON.parse(end.stdout);
  return show(result);
}
