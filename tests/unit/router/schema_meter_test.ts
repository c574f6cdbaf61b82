// The budget of a validation, and the payments that are put into compiled code.

import { assertEquals, assertThrows } from "@std/assert";
import { meterCode, OverBudgetError, SchemaMeter } from "../../../src/router/schema_engine.ts";

const HEAD = "function validate(data, {x}={}){";

Deno.test("SchemaMeter.pay() throws when nothing is left, until it is refilled", () => {
  const meter = new SchemaMeter();
  meter.pay(100_000_000);
  assertThrows(() => meter.pay(1), OverBudgetError, "takes too much work to check");
  meter.refill();
  meter.pay(100_000_000);
});

Deno.test("meterCode() refuses code that it cannot meter", () => {
  for (const code of ["", "return true;", "function f(){}"]) {
    assertThrows(() => meterCode(code), TypeError, "Cannot meter");
  }
});

Deno.test("meterCode() pays at every call and every turn of a loop", () => {
  const pay = "self.meter.pay(1);";
  assertEquals(meterCode(`${HEAD}a();}`), `${HEAD}${pay}a();}`);
  assertEquals(
    meterCode(`${HEAD}for(const k in data){b();for(let i=0;i<n;i++){c();}}}`),
    `${HEAD}${pay}for(const k in data){${pay}b();for(let i=0;i<n;i++){${pay}c();}}}`,
  );
});

Deno.test("meterCode() leaves text as it is", () => {
  const code = String.raw`${HEAD}x="for(a){";y="\"for(b){";}`;
  assertEquals(meterCode(code), code.replace(HEAD, `${HEAD}self.meter.pay(1);`));
});

Deno.test("meterCode() charges long functions more", () => {
  const code = `${HEAD}${"a();".repeat(200)}}`;
  assertEquals(meterCode(code).includes("self.meter.pay(4);"), true);
});
