// Changes of one thing: in order, the newest of those that wait, and none waited for without end.

import { assertEquals } from "@std/assert";
import { type Change, WriteQueue } from "../../../src/gateway/write_queue.ts";
import { stay } from "../../harness/stay.ts";

function ignore(): void {}

const PATIENT = { patience: { who: "The store", timeoutMs: 1_000_000 }, report: ignore };
const HASTY = { patience: { who: "The store", timeoutMs: 1 }, report: ignore };

/** A store of one word, which is told when the test lets it. */
class Board {
  readonly told: string[] = [];
  readonly #waiting: (() => void)[] = [];

  write(word: string): Change {
    return async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
      this.told.push(word);
    };
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Lets the oldest change that waits be made, or the newest. */
  async goOn(which: "oldest" | "newest" = "oldest"): Promise<void> {
    const next = which === "oldest" ? this.#waiting.shift() : this.#waiting.pop();
    next?.();
    // Whoever waited for it goes on.
    for (let turn = 0; turn < 20; turn++) await undefined;
  }
}

Deno.test("WriteQueue makes one change of a thing at a time, and of those that wait the newest", async () => {
  const [board, queue] = [new Board(), new WriteQueue(PATIENT)];
  const first = queue.write("x", board.write("a"));
  const last = queue.write("x", board.write("b"));
  assertEquals(queue.write("x", board.write("c")), last, "the same waits");
  const other = queue.write("y", board.write("other"));
  assertEquals(board.waiting, 2);
  await board.goOn();
  await board.goOn();
  assertEquals([board.told, queue.isOpen("x"), queue.isOpen("y")], [["a", "other"], true, false]);
  await board.goOn();
  await Promise.all([first, last, other, queue.written()]);
  assertEquals(board.told, ["a", "other", "c"]);
  assertEquals([queue.isOpen("x"), queue.settled("x")], [false, undefined]);
});

Deno.test("WriteQueue has nothing to wait for where a change is made at once", () => {
  const queue = new WriteQueue(PATIENT);
  assertEquals(queue.write("x", () => {}), undefined);
  assertEquals(queue.isOpen("x"), false);
});

Deno.test("WriteQueue goes on behind a change that takes too long, and sets right what that undoes", async () => {
  using _stay = stay();
  const told: unknown[] = [];
  const report = (error: unknown) => void told.push(error);
  const [board, queue] = [new Board(), new WriteQueue({ ...HASTY, report })];
  await queue.write("x", board.write("a"));
  assertEquals([queue.isOpen("x"), queue.settled("x")], [true, undefined]);
  assertEquals(String(told), "Error: The store gave no answer within 1 ms");
  await queue.write("x", board.write("b"));
  await board.goOn("newest");
  assertEquals([board.told, board.waiting], [["b"], 1]);
  await board.goOn();
  assertEquals([board.told, board.waiting], [["b", "a"], 1], "the newest is made again");
  await board.goOn();
  assertEquals([board.told, board.waiting], [["b", "a", "b"], 0], "and not once more");
  await queue.written();
  assertEquals(queue.isOpen("x"), false);
});

Deno.test("WriteQueue does not repeat itself without end where every change takes too long", async () => {
  using _stay = stay();
  const [board, queue] = [new Board(), new WriteQueue(HASTY)];
  for (const word of ["a", "b", "c"]) await queue.write("x", board.write(word));
  for (let round = 0; board.waiting > 0 && round < 20; round++) {
    await queue.written();
    await board.goOn();
  }
  assertEquals([board.waiting, board.told.at(-1), board.told.length < 8], [0, "c", true]);
});

Deno.test("WriteQueue forgets a thing that is gone although the store never answers", async () => {
  using _stay = stay();
  const [board, queue] = [new Board(), new WriteQueue(HASTY)];
  await queue.write("ended", board.write("a"));
  await queue.write("ended", board.write("gone"), true);
  await queue.write("left", board.write("a"));
  assertEquals([queue.isOpen("ended"), queue.isOpen("left")], [false, true]);
  queue.leave("left");
  assertEquals(queue.isOpen("left"), false);
  await board.goOn();
  await board.goOn();
  assertEquals(board.told, ["a", "gone"]);
});

Deno.test("WriteQueue keeps nobody waiting for what is asked for after", async () => {
  using _stay = stay();
  const [board, queue] = [new Board(), new WriteQueue(HASTY)];
  let isOver = false;
  queue.write("x", board.write("first"));
  const waiting = queue.write("x", board.write("second"))?.then(() => isOver = true);
  // Whoever tells the store something without end holds up nobody else.
  const telling = (async () => {
    for (let round = 0; !isOver && round < 1_000; round++) {
      queue.write("x", board.write(`more ${round}`));
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return isOver;
  })();
  await waiting;
  assertEquals(await telling, true);
});

Deno.test("WriteQueue is done with a change that is made or fails at once behind one that is late", async () => {
  using _stay = stay();
  for (const change of [() => {}, fail]) {
    const [board, queue] = [new Board(), new WriteQueue(HASTY)];
    await queue.write("x", board.write("a"));
    assertEquals(queue.write("x", change), undefined);
    await board.goOn();
    assertEquals([board.told, queue.isOpen("x")], [["a"], false]);
    await queue.write("y", board.write("a"));
    assertEquals(queue.write("y", change, true), undefined);
    assertEquals(queue.isOpen("y"), false);
  }
});

Deno.test("WriteQueue expects a change that was given up for a while only", async () => {
  using _stay = stay();
  const [board, queue] = [new Board(), new WriteQueue({ ...HASTY, expectedMs: 0 })];
  await queue.write("x", board.write("a"));
  assertEquals(queue.isOpen("x"), false);
  await queue.write("x", board.write("b"));
  await board.goOn("newest");
  await board.goOn();
  await board.goOn();
  assertEquals(board.told, ["b", "a", "b"], "it is set right all the same");
});

function fail(): never {
  throw new Error("not connected");
}
