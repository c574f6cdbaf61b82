// News as notifications to one client. While the client does not read, equal news wait once, so that nothing piles up.

import { type JsonObject, notificationText } from "../jsonrpc/message.ts";
import type { Outlet } from "../transport/outlet.ts";
import type { Listener, News } from "./audience.ts";

/** What a client hears and how it is told. */
export interface ClientListenerOptions {
  readonly outlet: Outlet;
  /** Whether the client wants these news. Of a watched resource it always does. */
  readonly wants: (kind: News["kind"]) => boolean;
  /** Goes into `_meta` of each notification. */
  readonly meta: JsonObject | undefined;
}

/** Tells a client of news. */
export class ClientListener implements Listener {
  readonly #options: ClientListenerOptions;
  readonly #waiting = new Set<string>();

  /** Starts with nothing told. */
  constructor(options: ClientListenerOptions) {
    this.#options = options;
  }

  /** Sends the notification, now or when the client reads again. */
  hear(news: News): void {
    if (!this.#options.wants(news.kind)) return;
    const text = this.#textOf(news);
    const ready = this.#options.outlet.ready();
    if (ready === undefined) {
      this.#options.outlet.send(text);
      return;
    }
    this.#waiting.add(text);
    if (this.#waiting.size === 1) ready.then(() => this.#flush());
  }

  #flush(): void {
    for (const text of this.#waiting) this.#options.outlet.send(text);
    this.#waiting.clear();
  }

  #textOf(news: News): string {
    const { meta } = this.#options;
    const params = meta === undefined ? {} : { _meta: meta };
    if (news.kind === "resource") {
      return notificationText("notifications/resources/updated", { ...params, uri: news.uri });
    }
    return notificationText(
      `notifications/${news.kind}/list_changed`,
      meta === undefined ? undefined : params,
    );
  }
}
