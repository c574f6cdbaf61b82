// Waiting: no longer than a given time, or until a signal.

/** Resolves when `work` settles, or after `timeoutMs`; tells whether `work` was in time. */
export async function settlesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const timeout = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => timeout.resolve(false), timeoutMs);
  try {
    return await Promise.race([work.then(() => true, () => true), timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves when the signal aborts, at once if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
