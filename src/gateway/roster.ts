// What comes and goes without end, in the order in which it came.

/** The place of one value; good for leaving the roster that gave it, once. */
export class Seat<Value> {
  readonly value: Value;
  /** The roster's own: its neighbours, and whether it is taken. */
  before: Seat<Value> | undefined;
  after: Seat<Value> | undefined;
  isTaken = true;

  /** Takes the place behind the last. */
  constructor(value: Value, before: Seat<Value> | undefined) {
    this.value = value;
    this.before = before;
  }
}

/**
 * Values, the oldest first. A `Set` would do, but as with `IdTable`, its outlived tables keep what was long deleted:
 * under load every collection of garbage took ten times as long.
 */
export class Roster<Value> {
  #first: Seat<Value> | undefined;
  #last: Seat<Value> | undefined;
  #size = 0;

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** The oldest. */
  get first(): Seat<Value> | undefined {
    return this.#first;
  }

  /** Puts a value behind all others. */
  add(value: Value): Seat<Value> {
    const seat = new Seat(value, this.#last);
    if (this.#last === undefined) this.#first = seat;
    else this.#last.after = seat;
    this.#last = seat;
    this.#size += 1;
    return seat;
  }

  /** Takes a value out; false when it was out already. */
  delete(seat: Seat<Value>): boolean {
    if (!seat.isTaken) return false;
    const { before, after } = seat;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    seat.isTaken = false;
    // A seat that outlives its leaving must not keep those who came after it.
    seat.before = undefined;
    seat.after = undefined;
    this.#size -= 1;
    return true;
  }

  /** All values now. */
  values(): readonly Value[] {
    const values: Value[] = [];
    for (let seat = this.#first; seat !== undefined; seat = seat.after) values.push(seat.value);
    return values;
  }
}
