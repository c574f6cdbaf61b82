// In Deno 2.9.6 an abort no longer reaches a `fetch` whose `Response` was garbage: the stream stays open, and so does the
// process. The SDKs keep the body alone.

const kept: Response[] = [];

/** `fetch` that can be aborted however late. */
export async function steadyFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  kept.push(response);
  return response;
}
