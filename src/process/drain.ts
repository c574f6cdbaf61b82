// Reads one pipe of a child to its end while keeping a bounded part of it.

/** What became of a pipe. */
export interface Drained {
  readonly bytes: Uint8Array;
  readonly total: number;
}

/** A pipe being read in the background. */
export interface Drain {
  /** Settles when the pipe ended, overflowed or was given up. */
  readonly done: Promise<Drained>;
  /** Whether `done` has settled. */
  isDone(): boolean;
  /** Stops reading; `done` then settles with what was read. */
  giveUp(): void;
}

/** How long pipes may stay open after the program ended; a descendant may hold them for ever. */
const HELD_MS = 250;

/** Waits for pipes of a program that has ended, but not for whoever still holds them: `onHeld` may end those. */
export async function settleDrains(
  drains: readonly Drain[],
  onHeld: () => Promise<unknown>,
): Promise<void> {
  // Mostly the pipes have ended by now, and a timer would cost more than the wait.
  if (drains.every((drain) => drain.isDone())) return;
  const timer = setTimeout(async () => {
    await onHeld();
    for (const drain of drains) drain.giveUp();
  }, HELD_MS);
  try {
    await Promise.all(drains.map((drain) => drain.done));
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps the first `maxBytes` and calls `onOverflow` once when there is more; then it stops keeping, not reading. */
export function drainHead(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  onOverflow: () => void,
): Drain {
  const reader = stream.getReader();
  let isDone = false;
  async function read(): Promise<Drained> {
    const chunks: Uint8Array[] = [];
    let kept = 0;
    let total = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const isOver = total > maxBytes;
      total += value.length;
      const part = value.subarray(0, maxBytes - kept);
      if (part.length > 0) chunks.push(part);
      kept += part.length;
      if (total > maxBytes && !isOver) onOverflow();
    }
    isDone = true;
    return { bytes: concat(chunks, kept), total };
  }
  return { done: read(), isDone: () => isDone, giveUp: () => void reader.cancel().catch(() => {}) };
}

/** Reads to the end, keeping the last `maxBytes`. */
export function drainTail(stream: ReadableStream<Uint8Array>, maxBytes: number): Drain & {
  tail(): Uint8Array;
} {
  const reader = stream.getReader();
  let chunks: Uint8Array[] = [];
  let kept = 0;
  let total = 0;
  let isDone = false;
  function tail(): Uint8Array {
    const all = concat(chunks, kept);
    return all.length > maxBytes ? all.subarray(all.length - maxBytes) : all;
  }
  async function read(): Promise<Drained> {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      total += value.length;
      chunks.push(value);
      kept += value.length;
      // Compacting at twice the bound keeps the cost of a flood linear.
      if (kept > 2 * maxBytes) {
        chunks = [tail().slice()];
        kept = chunks[0]?.length ?? 0;
      }
    }
    isDone = true;
    return { bytes: tail(), total };
  }
  return {
    done: read(),
    isDone: () => isDone,
    tail,
    giveUp: () => void reader.cancel().catch(() => {}),
  };
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const all = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.length;
  }
  return all;
}
