// Messages as text: one line each, ids as they came.

import { assertEquals, assertInstanceOf } from "@std/assert";
import {
  errorText,
  invalidParams,
  notificationText,
  requestText,
  resultText,
  RpcError,
} from "../../../src/jsonrpc/message.ts";

Deno.test("errorText() names the request as far as it is known", () => {
  const error = new RpcError(-1, "no");
  const tail = '"error":{"code":-1,"message":"no"}}';
  assertEquals(errorText(undefined, error), `{"jsonrpc":"2.0",${tail}`);
  assertEquals(errorText(null, error), `{"jsonrpc":"2.0","id":null,${tail}`);
  assertEquals(errorText(0, error), `{"jsonrpc":"2.0","id":0,${tail}`);
  assertEquals(errorText("", error), `{"jsonrpc":"2.0","id":"",${tail}`);
});

Deno.test("errorText() carries data and never the cause", () => {
  const error = new RpcError(-1, "no", { a: 1 }, new Error("secret"));
  assertEquals(
    errorText(1, error),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no","data":{"a":1}}}',
  );
  assertInstanceOf(error.cause, Error);
});

Deno.test("resultText() keeps the id's type and value", () => {
  assertEquals(resultText(1, {}), '{"jsonrpc":"2.0","id":1,"result":{}}');
  assertEquals(resultText("1", null), '{"jsonrpc":"2.0","id":"1","result":null}');
  assertEquals(resultText('"\n', [1]), '{"jsonrpc":"2.0","id":"\\"\\n","result":[1]}');
});

Deno.test("requestText() and notificationText() leave missing parameters out", () => {
  assertEquals(requestText("a", "m"), '{"jsonrpc":"2.0","id":"a","method":"m"}');
  assertEquals(
    requestText(1, "m", { a: 1 }),
    '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}',
  );
  assertEquals(notificationText("m"), '{"jsonrpc":"2.0","method":"m"}');
  assertEquals(
    notificationText("m", { a: undefined }),
    '{"jsonrpc":"2.0","method":"m","params":{}}',
  );
});

Deno.test("messages are one line, whatever they hold", () => {
  const hostile = "a\nb\r\u2028\u2029\u0000\ud800";
  const texts = [
    resultText(hostile, { [hostile]: hostile }),
    errorText(hostile, new RpcError(1, hostile, hostile)),
    requestText(hostile, hostile, { a: hostile }),
    notificationText(hostile, { a: hostile }),
  ];
  for (const text of texts) {
    assertEquals(/[\n\r]/.test(text), false);
    assertEquals(typeof JSON.parse(text), "object");
  }
});

Deno.test("invalidParams() is -32602", () => {
  const error = invalidParams("no", [1]);
  assertEquals([error.code, error.message, error.data, error.name], [
    -32602,
    "no",
    [1],
    "RpcError",
  ]);
});
