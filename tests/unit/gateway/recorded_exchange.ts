// An exchange whose client is a list: what was sent and answered can be read.

import { getCodec } from "../../../src/mcp/codec.ts";
import type { LogLevel } from "../../../src/mcp/params.ts";
import type { Revision } from "../../../src/mcp/revision.ts";
import type { Outlet } from "../../../src/transport/outlet.ts";
import { Exchange, type ExchangeOptions } from "../../../src/gateway/exchange.ts";

/** Keeps every message; `block` makes senders wait until `unblock`. */
export class RecordingOutlet implements Outlet {
  readonly sent: string[] = [];
  #gate: PromiseWithResolvers<void> | undefined;

  /** What was sent, parsed. */
  get messages(): unknown[] {
    return this.sent.map((text) => JSON.parse(text));
  }

  send(text: string): void {
    this.sent.push(text);
  }

  ready(): Promise<void> | undefined {
    return this.#gate?.promise;
  }

  block(): void {
    this.#gate ??= Promise.withResolvers<void>();
  }

  unblock(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }
}

/** What of an exchange a test cares about. */
export interface RecordedOptions extends Partial<Omit<ExchangeOptions, "codec" | "logLevel">> {
  readonly revision?: Revision;
  readonly level?: LogLevel | undefined;
}

/** An exchange with its outlet and the answers it gave; `null` stands for a skipped one. */
export function recordExchange(options: RecordedOptions = {}) {
  const { revision = "2025-11-25", level, ...rest } = options;
  const outlet = new RecordingOutlet();
  const answers: (string | null)[] = [];
  const exchange = new Exchange({
    id: 1,
    codec: getCodec(revision),
    outlet,
    reply: { answer: (text) => answers.push(text), skip: () => answers.push(null) },
    capabilities: {},
    wire: { kind: "stateless" },
    logLevel: () => level,
    progressToken: undefined,
    length: 1,
    ...rest,
  });
  return { exchange, outlet, answers };
}

/** Lets pending promises settle; no timers are involved. */
export async function settle(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await undefined;
}
