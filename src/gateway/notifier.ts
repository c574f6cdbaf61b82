// Progress and log notifications of one exchange: the client's own token, strictly increasing values, the level the
// client asked for, and no more than the rate allows.

import type { CallEvent } from "../activation/activation.ts";
import { notificationText } from "../jsonrpc/message.ts";
import { isAtLeast } from "../mcp/params.ts";
import type { Exchange } from "./exchange.ts";

/** An event that tells how far a call has come. */
export type ProgressEvent = CallEvent & { readonly kind: "progress" };
/** An event that is a message for the client's log. */
export type LogEvent = CallEvent & { readonly kind: "log" };

const MINUTE_MS = 60_000;

/** Sends what a running call tells, before its answer. */
export class Notifier {
  readonly #exchange: Exchange;
  readonly #maxPerMinute: number;
  readonly #now: () => number;
  #sent: number[] | undefined;
  #lastProgress = -Infinity;

  /** Starts with nothing sent; `now` tells milliseconds that never go back. */
  constructor(exchange: Exchange, maxPerMinute: number, now: () => number = readTimer) {
    this.#exchange = exchange;
    this.#maxPerMinute = maxPerMinute;
    this.#now = now;
  }

  /** Tells progress, if the client gave a token for it. */
  progress(event: ProgressEvent): void {
    const { progressToken, codec } = this.#exchange;
    const { progress, message } = event;
    if (progressToken === undefined || !(progress > this.#lastProgress)) return;
    // JSON has no number for what is not finite.
    if (!Number.isFinite(progress) || !this.#mayNotify()) return;
    const total = Number.isFinite(event.total) ? event.total : undefined;
    this.#lastProgress = progress;
    const params = codec.encodeProgress({ progressToken, progress, total, message });
    this.#exchange.outlet.send(notificationText("notifications/progress", params));
  }

  /** Hands on a log message, if the client wants its level. */
  log(event: LogEvent): void {
    const threshold = this.#exchange.logLevel;
    if (threshold === undefined || !isAtLeast(event.level, threshold)) return;
    if (!this.#mayNotify()) return;
    const { level, logger, data } = event;
    this.#exchange.outlet.send(notificationText("notifications/message", { level, logger, data }));
  }

  #mayNotify(): boolean {
    if (this.#exchange.isOver) return false;
    const now = this.#now();
    const sent = (this.#sent ?? []).filter((time) => now - time < MINUTE_MS);
    this.#sent = sent;
    if (sent.length >= this.#maxPerMinute) return false;
    sent.push(now);
    return true;
  }
}

function readTimer(): number {
  return performance.now();
}
