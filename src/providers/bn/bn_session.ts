// What is known of one client: its working directory and its agent. On the handshake wire it is remembered for as long
// as the session lives; on the stateless wire the client carries it, sealed.

import type { Inquiry } from "../../activation/activation.ts";
import type { JsonValue } from "../../jsonrpc/message.ts";
import { Seal } from "../../mcp/seal.ts";

/** One client's state. */
export interface BnSession {
  /** A random word for BN_MCP_SESSION; also the agent's name in the registry where it registers over MCP. */
  readonly id: string;
  /** Real path. */
  readonly cwd: string;
  /** The agent that commands are attributed to. */
  readonly agent: string | undefined;
  /** Whether that agent was registered by a shell, which alone can end it. */
  readonly isLinked: boolean;
}

/** A session, or what to tell the client that has none. */
export type FoundSession =
  | { readonly kind: "found"; readonly session: BnSession }
  | { readonly kind: "missing"; readonly reason: string };

/** How long a handle is honoured: a working day and the night after it. */
export const HANDLE_MS = 24 * 60 * 60 * 1000;

/** The sessions of all clients; none can reach another's. */
export class BnSessions {
  readonly #known = new WeakMap<object, BnSession>();
  readonly #seal: Seal;

  /** Handles expire by this clock. */
  constructor(now: () => number = Date.now) {
    this.#seal = new Seal(HANDLE_MS, { now });
  }

  /** The session that a handle carries, or that of the client's own connection. */
  async find(inquiry: Inquiry, handle: JsonValue | undefined): Promise<FoundSession> {
    if (handle !== undefined) return await this.#open(handle, inquiry);
    const { session: key } = inquiry;
    const session = key === undefined ? undefined : this.#known.get(key);
    return session === undefined
      ? missing("Session not initialized. Call binnacle-set_agent first.")
      : { kind: "found", session };
  }

  /** Keeps a session where it came from; returns the handle that the client has to carry, if it has to. */
  async keep(
    inquiry: Inquiry,
    session: BnSession,
    handle?: JsonValue,
  ): Promise<string | undefined> {
    const { session: key } = inquiry;
    if (key === undefined || handle !== undefined) {
      return await this.#seal.seal(
        { ...session, agent: session.agent ?? null },
        toPurpose(inquiry),
      );
    }
    this.#known.set(key, session);
    return undefined;
  }

  async #open(handle: JsonValue, inquiry: Inquiry): Promise<FoundSession> {
    const opened = await this.#seal.open(handle, toPurpose(inquiry));
    if (opened.kind === "valid") {
      const { id, cwd, agent, isLinked } = opened.value;
      return {
        kind: "found",
        session: {
          id: String(id),
          cwd: String(cwd),
          agent: typeof agent === "string" ? agent : undefined,
          isLinked: isLinked === true,
        },
      };
    }
    return opened.kind === "expired"
      ? missing('"session" has expired. Call binnacle-set_agent again.')
      : missing('"session" is not one that this server gave. Call binnacle-set_agent first.');
  }
}

/** Where clients show tokens, a handle is of use to its owner only. */
function toPurpose({ owner = "" }: Inquiry): string {
  return `bn session of ${owner}`;
}

function missing(reason: string): FoundSession {
  return { kind: "missing", reason };
}
