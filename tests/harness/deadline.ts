// Waiting that always ends.

/** Long enough for a busy machine; only what hangs ever meets it. */
const DEADLINE_MS = 20_000;

/** Settles as `work` does, or rejects with the complaint when that takes too long. */
export async function withDeadline<Value>(
  work: PromiseLike<Value>,
  complain: () => string,
): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(complain())), DEADLINE_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
