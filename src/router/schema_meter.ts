// A bound on the work of one validation. Compiled validators call each other for references and loop over members;
// each such step is paid from a budget, so that no schema and no value together can hang the server.

/** Characters of compiled code per unit of work: a step of a longer function does more. */
const CODE_PER_UNIT = 256;

/** Units that one judgement may take; about a second. */
const BUDGET = 100_000_000;

/** The head of every compiled function ends with this. */
const FUNCTION_HEAD = "}={}){";

/** A string literal, which stays as it is, or the head of a loop. */
const LITERAL_OR_LOOP = /"(?:[^"\\]|\\.)*"|\bfor\([^"{}]*\)\{/g;

/** The value would take too much work to judge. */
export class OverBudgetError extends RangeError {
  override readonly name = "OverBudgetError";
}

/** Counts the work of compiled validators. */
export class SchemaMeter {
  #left = BUDGET;

  /** Starts a judgement with the whole budget. */
  refill(): void {
    this.#left = BUDGET;
  }

  /**
   * Pays for one step.
   *
   * @throws OverBudgetError when nothing is left.
   */
  pay(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new OverBudgetError("takes too much work to check");
  }
}

/**
 * Puts payments into compiled code: `self.meter` must be a `SchemaMeter` where it runs.
 *
 * @throws TypeError when the code does not look as expected; unmetered code must not run.
 */
export function meterCode(code: string): string {
  const head = code.indexOf(FUNCTION_HEAD);
  if (head === -1) throw new TypeError("Cannot meter the compiled schema");
  const start = head + FUNCTION_HEAD.length;
  const payment = `self.meter.pay(${Math.ceil((code.length - start) / CODE_PER_UNIT)});`;
  const body = code.slice(start).replaceAll(
    LITERAL_OR_LOOP,
    (found) => found.startsWith('"') ? found : found + payment,
  );
  return code.slice(0, start) + payment + body;
}
