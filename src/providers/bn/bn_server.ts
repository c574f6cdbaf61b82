// What the tools, resources and the prompt of `bn` mode do: find the client's session, run the program in it, tell what
// came of it. A subcommand that binnacle gains tomorrow needs nothing here.

import type { Call, CallEvent, Inquiry } from "../../activation/activation.ts";
import { INTERNAL_ERROR, isObject, RpcError } from "../../jsonrpc/message.ts";
import type { ResourceContents } from "../../mcp/model.ts";
import { quoteName } from "../../process/root_access.ts";
import { readFileInRoots } from "../../process/root_guard.ts";
import { type BnOptions, BnProgram } from "./bn_program.ts";
import { type BnReport, findJson, refusal, tell, tellReport } from "./bn_report.ts";
import { type BnSession, BnSessions } from "./bn_session.ts";
import { findBlockReason, findRepositories } from "./command_words.ts";
import { findAgent, isCutOff } from "./registered_agents.ts";

const LIFECYCLE = { program: "bn-lifecycle" } as const;
const MAX_AGENTS_MD_BYTES = 1024 * 1024;

/** `bn` mode once it is needed. */
export class BnServer {
  readonly #program: BnProgram;
  readonly #sessions = new BnSessions();

  /** Starts nothing yet. */
  constructor(options: BnOptions) {
    this.#program = new BnProgram(options);
  }

  /** Runs a tool. */
  async *call(call: Call): AsyncGenerator<CallEvent> {
    if (call.tool === "binnacle-set_agent") return yield* this.#setAgent(call);
    const found = await this.#sessions.find(call, call.arguments.session);
    if (found.kind === "missing") return yield { kind: "failure", message: found.reason };
    switch (call.tool) {
      case "binnacle-orient":
        return yield* this.#orient(call, found.session);
      case "binnacle-goodbye":
        return yield* this.#goodbye(call, found.session);
      default:
        return yield* tellReport(await this.#runChecked(call, found.session));
    }
  }

  /** A resource's contents; `undefined` where there is no such resource. */
  async read(uri: string, inquiry: Inquiry): Promise<readonly ResourceContents[] | undefined> {
    const [, name, query] = /^binnacle:\/\/(status|agents|issues)(\?.*)?$/s.exec(uri) ?? [];
    if (name === undefined) return undefined;
    const handle = new URLSearchParams(query).get("session") ?? undefined;
    const found = await this.#sessions.find(inquiry, handle);
    if (found.kind === "missing") throw new RpcError(INTERNAL_ERROR, found.reason);
    const { session } = found;
    if (name === "agents") return [{ uri, ...await this.#readAgentsFile(session) }];
    const args = name === "issues" ? ["issue", "list"] : DRY_ORIENT;
    const report = await this.#program.run(args, { inquiry, session });
    if (report.exit_code !== 0) throw new RpcError(INTERNAL_ERROR, report.stderr.trim());
    return [{ uri, mimeType: "application/json", text: report.stdout.trim() }];
  }

  /** The instructions for agents that binnacle itself emits; they need no session. */
  async getInstructions(inquiry: Inquiry): Promise<string> {
    const args = ["system", "emit", "copilot-instructions"];
    const report = await this.#program.run(args, { inquiry });
    const json = findJson(report);
    if (report.exit_code === 0 && isObject(json) && typeof json.content === "string") {
      return json.content.trim();
    }
    throw new RpcError(INTERNAL_ERROR, report.stderr.trim() || "bn emitted no instructions");
  }

  async *#setAgent(call: Call): AsyncGenerator<CallEvent> {
    const path = String(call.arguments.path);
    const located = await this.#program.findDirectory(path, call);
    if (located.kind === "refused") return yield { kind: "failure", message: located.reason };
    const { environment, isWalled } = await this.#program.host;
    if (isWalled && await isCutOff(located.path, environment)) {
      const message = `${quoteName(path)} is a worktree, and its main repository is outside the ` +
        "roots; start the server with --root for that too";
      return yield { kind: "failure", message };
    }
    const asked = call.arguments.agent_id;
    const found = await this.#sessions.find(call, undefined);
    const known = found.kind === "found" ? found.session : undefined;
    const linked = typeof asked === "string" ? asked : environment.BN_AGENT_ID || undefined;
    // One that MCP registered stays with its repository.
    const own = known?.isLinked === false && known.cwd === located.path ? known.agent : undefined;
    const agent = linked ?? own;
    const session: BnSession = {
      id: known?.id ?? crypto.randomUUID(),
      cwd: located.path,
      agent,
      isLinked: linked !== undefined,
    };
    // What the operator's environment says is taken as it is; what a client says has to stand in the registry.
    if (typeof asked === "string" && !await this.#isRegistered(asked, call, session)) {
      const message = `Agent ${asked.slice(0, 200)} not found in registry`;
      return yield { kind: "failure", message };
    }
    const handle = await this.#sessions.keep(call, session);
    yield* tell({
      success: true,
      message: linked === undefined
        ? "Session initialized"
        : `Session initialized for agent ${linked}`,
      cwd: session.cwd,
      agent_id: agent ?? session.id,
      ...(handle === undefined ? {} : { session: handle }),
    });
  }

  async *#orient(call: Call, session: BnSession): AsyncGenerator<CallEvent> {
    const { type = "worker", name, register } = call.arguments;
    if (session.isLinked) {
      const report = await this.#program.run(DRY_ORIENT, { inquiry: call, session });
      const warning = "This MCP session is linked to an agent already; nothing was registered.";
      return yield* tellReport(report, {
        agent_id: session.agent ?? null,
        warning,
        mcp_hint: MCP_HINT,
      });
    }
    const args = ["orient", "--type", String(type)];
    if (name !== undefined) args.push("--name", String(name));
    if (register !== undefined) args.push("--register", String(register));
    // Under a name of its own the agent has no process id. Otherwise that would be the server's, and binnacle would one
    // day end the server as a stale agent.
    const registered = { ...session, agent: session.id };
    const report = await this.#program.run(args, {
      ...LIFECYCLE,
      inquiry: call,
      session: registered,
    });
    if (report.exit_code !== 0) return yield* tellReport(report);
    const handle = await this.#sessions.keep(call, registered, call.arguments.session);
    yield* tellReport(report, {
      agent_id: session.id,
      warning: "Agent registered via MCP. Goodbye will not terminate process. " +
        "Use shell tools for full lifecycle support.",
      mcp_hint: MCP_HINT,
      ...(handle === undefined ? {} : { session: handle }),
    });
  }

  async *#goodbye(call: Call, session: BnSession): AsyncGenerator<CallEvent> {
    const answer = { terminated: false, "should_terminate": true, "use_shell": true };
    if (session.isLinked) {
      const hint = "Agent must call 'bn goodbye' via shell tool to terminate";
      return yield* tell({ ...answer, agent_id: session.agent ?? null, hint });
    }
    const args = ["goodbye", String(call.arguments.summary ?? "Session ended via MCP")];
    const leaving = { ...session, agent: session.id };
    const report = await this.#program.run(args, { ...LIFECYCLE, inquiry: call, session: leaving });
    const left = { ...session, agent: undefined };
    const handle = await this.#sessions.keep(call, left, call.arguments.session);
    yield* tellReport(report, {
      ...answer,
      warning: "No agent_id linked to MCP session. Agent should call goodbye via shell. " +
        "Cannot terminate agent via MCP. Agent should self-terminate.",
      hint: "Use binnacle-set_agent with agent_id from shell-based orient call",
      ...(handle === undefined ? {} : { session: handle }),
    });
  }

  /** Runs what a client wants run, unless it is blocked or names a repository out of the roots. */
  async #runChecked(call: Call, session: BnSession): Promise<BnReport> {
    const { args: given } = call.arguments;
    const args = Array.isArray(given) ? given.map(String) : [];
    const reason = findBlockReason(args);
    if (reason !== undefined) return refusal(reason, 1);
    for (const name of findRepositories(args)) {
      const located = await this.#program.findDirectory(
        name.startsWith("/") ? name : `${session.cwd}/${name}`,
        call,
      );
      if (located.kind === "refused") return refusal(located.reason, 1);
    }
    return await this.#program.run(args, { inquiry: call, session });
  }

  /** Looks into the registry; where that cannot be read from here, the program is asked. */
  async #isRegistered(id: string, inquiry: Inquiry, session: BnSession): Promise<boolean> {
    const { environment } = await this.#program.host;
    const state = await findAgent(id, session.cwd, environment);
    if (state !== "unreadable" || id.startsWith("-")) return state === "present";
    const shown = findJson(await this.#program.run(["show", id], { inquiry, session }));
    return isObject(shown) && isObject(shown.agent) && shown.agent.id === id;
  }

  async #readAgentsFile({ cwd }: BnSession): Promise<{ mimeType: string; text: string }> {
    const directory = await this.#program.findDirectory(cwd);
    const read = directory.kind === "refused" ? directory : await readFileInRoots(
      `${directory.path}/AGENTS.md`,
      directory.roots,
      { maxBytes: MAX_AGENTS_MD_BYTES },
    );
    return read.kind === "read"
      ? { mimeType: "text/markdown", text: new TextDecoder().decode(read.bytes) }
      : { mimeType: "application/json", text: JSON.stringify({ error: "AGENTS.md not found" }) };
  }
}

/** Tells how the repository stands and registers nobody. */
const DRY_ORIENT: readonly string[] = ["orient", "--type", "worker", "--dry-run"];

const MCP_HINT =
  "Call binnacle-set_agent with this agent_id to link MCP calls to this registration";
