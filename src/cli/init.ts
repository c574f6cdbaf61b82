// `mod.ts init`: puts a mode into the configurations of AI clients, step by step or by flags.

import { type ClientHost, CLIENTS } from "../clients/client.ts";
import { type Command, print, printError, UsageError } from "./command.ts";
import { InitJournal } from "./init_journal.ts";
import { listClients } from "./init_list.ts";
import { type InitOptions, parseInitOptions } from "./init_options.ts";
import { checkNeeds, findHost, planSteps, stateDirectory, type Step } from "./init_plan.ts";
import {
  applyTarget,
  type Change,
  listNeeds,
  previewTarget,
  toLabel,
  undoChange,
} from "./init_target.ts";

/** The command. */
export const INIT_COMMAND: Command = {
  name: "init",
  summary: "put a mode into the configurations of AI clients, with its least-privilege command",
  help: () =>
    `Usage: deno run [permissions] mod.ts init <mode> [options] [-- options of the mode]

Writes the command that \`mod.ts permissions <mode>\` prints into clients' configurations. Comments, order and layout
stay; a file that cannot be understood is refused; a copy is kept. Without options it asks, step by step. What a run
lacks, it names; docs/clients.md has whole command lines.

Clients: ${CLIENTS.map(({ name }) => name).join(", ")}

Options:
  --client NAME        a client to write; repeat it or use commas
  --scope SCOPE        project or user (default: project for VS Code, user for the rest)
  --write-mcp-vscode   the same as --client vscode
  --write-mcp-copilot  the same as --client copilot
  --write-mcp-all      both
  --write-agents-md    a section of the project's AGENTS.md (mode bn)
  -y                   ask nothing: only what the options name; alone, the AGENTS.md section of mode bn
  --dry-run            print the difference, write nothing
  --undo               take back what init wrote: exactly, if the file was not changed since, else only our entry
  --list               every client, where its configuration is, and whether the entry is in it
  --via-cli            let the client's own program add the server, where there is one (needs --allow-run)
  --project DIR        directory of the project (default: the current one)
  --root DIR           a directory the mode works on; repeat it for several (default: the project)
  --manifest FILE      another manifest than the shipped one (needs --allow-read=FILE)
  --name NAME          name of the entry (default: binnacle for bn, else bulkhead-<mode>)
  --deno FILE          the deno program, where clients do not find it on PATH

Examples:
  deno run --allow-env=HOME,XDG_STATE_HOME --allow-read=$PWD/.vscode,$HOME/.local/state/bulkhead \\
    --allow-write=$PWD/.vscode,$HOME/.local/state/bulkhead mod.ts init reader --project $PWD --write-mcp-vscode
  deno run --allow-env=HOME --allow-read=$HOME/.cursor mod.ts init demo --project $PWD --client cursor --dry-run
`,
  async run(args) {
    const options = parseInitOptions(args);
    const host = findHost(options);
    if (options.list) {
      print(listClients(options, host));
      return 0;
    }
    if (options.undo) return await undo(options, host);
    const steps = await planSteps(options, host);
    return options.dryRun
      ? await preview(steps)
      : options.asks
      ? await ask(options, steps, host)
      : await write(steps, host);
  },
};

async function preview(steps: readonly Step[]): Promise<number> {
  if (!await mayGoOn(listNeeds(steps.map(({ target }) => target.key), undefined))) return 1;
  let code = 0;
  for (const { target } of steps) {
    const result = await previewTarget(target);
    if (result.kind === "diff") print(result.text);
    else {
      printError(`✗ ${target.label} ${result.reason}\n`);
      code = 1;
    }
  }
  return code;
}

async function write(steps: readonly Step[], host: ClientHost): Promise<number> {
  if (steps.length === 0) {
    print("Nothing to write: name a client with --client, or add --write-mcp-all\n");
    return 0;
  }
  const state = stateDirectory(host);
  if (!await mayGoOn(listNeeds(steps.map(({ target }) => target.key), state))) return 1;
  const journal = new InitJournal(state);
  let code = 0;
  for (const step of steps) code = Math.max(code, tell(await apply(step, journal), step, host));
  return code;
}

/** The steps as document 001 draws them. */
async function ask(
  options: InitOptions,
  steps: readonly Step[],
  host: ClientHost,
): Promise<number> {
  const state = stateDirectory(host);
  if (!await mayGoOn(listNeeds(steps.map(({ target }) => target.key), state))) return 1;
  const journal = new InitJournal(state);
  const isBinnacle = options.mode === "bn";
  const title = isBinnacle
    ? "Binnacle System Initialization"
    : `Bulkhead Initialization: ${options.mode}`;
  print(`${title}\n${"=".repeat(title.length)}\n\n`);
  let code = 0;
  for (const [index, step] of steps.entries()) {
    print(`[${index + 1}/${steps.length}] Write ${step.target.title}? [Y/n] `);
    const answer = await readLine();
    // Nobody there is nobody who agreed.
    const isYes = answer !== undefined && /^(?:|y|yes)$/i.test(answer.trim());
    if (answer === undefined) print("\n");
    if (isYes) code = Math.max(code, tell(await apply(step, journal), step, host));
    else print("⊘ Skipped\n");
    print("\n");
  }
  const check = isBinnacle ? "bn orient" : `deno run mod.ts doctor ${options.mode}`;
  print(`Done! Run '${check}' to verify setup.\n`);
  return code;
}

async function undo(options: InitOptions, host: ClientHost): Promise<number> {
  const state = stateDirectory(host);
  if (!await mayGoOn(listNeeds([], state))) return 1;
  const journal = new InitJournal(state);
  const records = journal.read().toReversed().filter(({ client, name }) =>
    (options.mode === undefined || name === options.name ||
      (client === undefined && options.mode === "bn")) &&
    (options.clients.length === 0 || options.clients.some((row) => row.name === client))
  );
  if (records.length === 0) {
    print("Nothing to undo\n");
    return 0;
  }
  if (!await mayGoOn(listNeeds(records, state))) return 1;
  let code = 0;
  for (const record of records) {
    const step = { target: { label: toLabel(record.path, host) } };
    code = Math.max(code, tell(await undoChange(record, journal), step, host));
  }
  return code;
}

async function apply(step: Step, journal: InitJournal): Promise<Change> {
  if (step.own === undefined) return await applyTarget(step.target, journal);
  const { addByOwnCommand } = await import("./init_own_command.ts");
  return await addByOwnCommand({ ...step.own, target: step.target }, journal);
}

const VERBS = {
  created: "Created",
  updated: "Updated",
  unchanged: "Unchanged",
  deleted: "Deleted",
  restored: "Restored",
  removed: "Removed our entry from",
} as const;

/** One line about what happened; the exit code that it calls for. */
function tell(
  change: Change,
  { target }: { readonly target: { readonly label: string } },
  host: ClientHost,
): number {
  if (change.kind === "refused") {
    printError(`✗ ${target.label} ${change.reason}\n`);
    return 1;
  }
  const backup = "backup" in change ? change.backup : undefined;
  const kept = backup === undefined ? "" : ` (former content: ${toLabel(backup, host)})`;
  print(`✓ ${VERBS[change.kind]} ${target.label}${kept}\n`);
  return 0;
}

async function mayGoOn(needs: Parameters<typeof checkNeeds>[0]): Promise<boolean> {
  const missing = await checkNeeds(needs);
  if (missing === undefined) return true;
  printError(`✗ Cannot go on: start with ${missing}\n`);
  return false;
}

/** Longest answer that is looked at. */
const MAX_ANSWER_BYTES = 1024;

/** One line from the person; `undefined` when stdin has ended. */
async function readLine(): Promise<string | undefined> {
  const bytes: number[] = [];
  const buffer = new Uint8Array(1);
  while (bytes.length < MAX_ANSWER_BYTES) {
    const count = await Deno.stdin.read(buffer);
    if (count === null && bytes.length === 0) return undefined;
    const [byte = 0x0a] = count === null ? [] : buffer;
    if (byte === 0x0a) return new TextDecoder().decode(new Uint8Array(bytes));
    bytes.push(byte);
  }
  throw new UsageError(`An answer is longer than ${MAX_ANSWER_BYTES} bytes`);
}
