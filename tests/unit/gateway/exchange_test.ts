// One request: answered once or canceled once, never both.

import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { CanceledError } from "../../../src/gateway/exchange.ts";
import { recordExchange } from "./recorded_exchange.ts";

Deno.test("Exchange.answer() says nothing after a cancellation", () => {
  const { exchange, answers } = recordExchange();
  exchange.cancel("gone");
  exchange.answer("late");
  assertEquals(answers, [null]);
});

Deno.test("Exchange.cancel() does nothing after the answer, nor twice", () => {
  const { exchange, answers } = recordExchange();
  exchange.answer("first");
  exchange.answer("second");
  exchange.cancel("late");
  assertEquals(answers, ["first"]);
  assertEquals(exchange.signal.aborted, false);
  const twice = recordExchange();
  twice.exchange.cancel("one");
  twice.exchange.cancel("two");
  assertEquals(twice.answers, [null]);
  assertEquals(
    String(twice.exchange.signal.reason),
    "CanceledError: The request was canceled: one",
  );
});

Deno.test("Exchange.detach() tells whoever wants to know, while there is no answer", () => {
  recordExchange().exchange.detach(5);
  const told: (number | undefined)[] = [];
  const { exchange } = recordExchange({ detach: (retryMs) => told.push(retryMs) });
  exchange.detach(undefined);
  exchange.detach(5);
  exchange.answer("a");
  exchange.detach(6);
  assertEquals(told, [undefined, 5]);
});

Deno.test("Exchange.owner is nobody unless somebody was told", () => {
  assertEquals(recordExchange().exchange.owner, "");
  assertEquals(recordExchange({ owner: "ada" }).exchange.owner, "ada");
});

Deno.test("Exchange.isOver tells of both ends", () => {
  const answered = recordExchange().exchange;
  assertEquals(answered.isOver, false);
  answered.answer("a");
  assertEquals(answered.isOver, true);
  const canceled = recordExchange().exchange;
  canceled.cancel("c");
  assertEquals(canceled.isOver, true);
});

Deno.test("Exchange.signal aborts with the reason, looked at before or after", () => {
  const before = recordExchange().exchange;
  const { signal } = before;
  before.cancel("why");
  assertEquals(signal.aborted, true);
  assertInstanceOf(signal.reason, CanceledError);
  const after = recordExchange().exchange;
  after.cancel("why");
  assertEquals(after.signal.aborted, true);
  assertInstanceOf(after.signal.reason, CanceledError);
});

Deno.test("Exchange.onCancel() calls back once each, at once when it is late", () => {
  const { exchange } = recordExchange();
  const heard: string[] = [];
  exchange.onCancel(({ message }) => heard.push(`early ${message}`));
  exchange.cancel("x");
  exchange.onCancel(({ message }) => heard.push(`late ${message}`));
  exchange.cancel("y");
  assertEquals(heard, ["early The request was canceled: x", "late The request was canceled: x"]);
});

Deno.test("Exchange.untilCanceled() rejects on cancellation and lets late failures go", async () => {
  const { exchange } = recordExchange();
  const work = Promise.withResolvers<number>();
  const waiting = exchange.untilCanceled(work.promise);
  exchange.cancel("enough");
  await assertRejects(() => waiting, CanceledError, "enough");
  work.reject(new Error("late"));
  await assertRejects(() => exchange.untilCanceled(Promise.resolve(1)), CanceledError, "enough");
});

Deno.test("Exchange.untilCanceled() settles as the work does", async () => {
  const { exchange } = recordExchange();
  assertEquals(await exchange.untilCanceled(Promise.resolve(7)), 7);
  await assertRejects(
    () => exchange.untilCanceled(Promise.reject(new RangeError("broken"))),
    RangeError,
    "broken",
  );
});

Deno.test("Exchange.party is the owner, else the session, and nobody for an only client", () => {
  const session = {};
  const partyOf = (options: { owner?: string; session?: object }) =>
    recordExchange(options).exchange.party;
  assertEquals(partyOf({}), undefined);
  assertEquals(partyOf({ session }), undefined);
  assertEquals(partyOf({ owner: "" }), "");
  assertEquals(partyOf({ owner: "", session }), session);
  assertEquals(partyOf({ owner: "token-1" }), "token-1");
  assertEquals(partyOf({ owner: "token-1", session }), "token-1");
});
