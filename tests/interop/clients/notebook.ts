// What a client was told without having asked: news, log messages, complaints of its library, the server's stderr.

/** Longer than any news may take; only there so that nothing hangs. */
const NEWS_TIMEOUT_MS = 20_000;

/** Collects as it comes. */
export class Notebook {
  readonly news: string[] = [];
  readonly logs: string[] = [];
  readonly complaints: string[] = [];
  revision: string | undefined;
  stderr = "";
  #next: PromiseWithResolvers<void> | undefined;

  /** Writes down a change that the client heard of. */
  hear(news: string): void {
    this.news.push(news);
    this.#next?.resolve();
    this.#next = undefined;
  }

  /** Writes down a log message. */
  log(level: string, data: unknown): void {
    this.logs.push(`${level}: ${data}`);
  }

  /** Resolves with the next news. */
  async nextNews(): Promise<void> {
    this.#next ??= Promise.withResolvers<void>();
    const next = this.#next;
    const timer = setTimeout(
      () => next.reject(new Error("No news came")),
      NEWS_TIMEOUT_MS,
    );
    try {
      await next.promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
