// Calls that may run side by side, and the bounded queue of those that wait. Clients that share a server take turns, and
// none of them can take it all: a few places, and a part of the queue, are always left to the others.

import { INTERNAL_ERROR, RpcError } from "../jsonrpc/message.ts";
import type { Exchange } from "./exchange.ts";
import { type Limits, shareOf } from "./limits.ts";
import { Roster, type Seat } from "./roster.ts";

/** How many places there are, and who may wait for one. */
export type SlotLimits = Pick<Limits, "maxConcurrentCalls" | "maxQueuedCalls" | "maxQueuedLength">;

/** Who wants a place; of one party as long as it has it. */
export type Claimant = Pick<Exchange, "length" | "onCancel" | "party">;

/** Named parties above which those are forgotten that have nothing under way. */
const MAX_NAMED = 1_000;

/** Hands out places to run: to one party in the order of its calls, to several in turn. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #shares: SlotLimits;
  /** Where there is only one client, it has everything. */
  readonly #sole: Party;
  /** By name: all that have something under way, and some that had. */
  readonly #named = new Map<string, Party>();
  /** By session: forgotten with it. */
  readonly #sessions = new WeakMap<object, Party>();
  /** The parties that wait; the first has its turn next. */
  readonly #turns = new Roster<Party>();
  #running = 0;
  #waiting = 0;
  #queuedLength = 0;

  /** Starts with every place free. */
  constructor(limits: SlotLimits) {
    this.#limits = limits;
    this.#sole = new Party(limits);
    this.#shares = {
      maxConcurrentCalls: shareOf(limits.maxConcurrentCalls),
      maxQueuedCalls: shareOf(limits.maxQueuedCalls),
      maxQueuedLength: shareOf(limits.maxQueuedLength),
    };
  }

  /** Calls that run now. */
  get running(): number {
    return this.#running;
  }

  /** Whether the next call would have to wait, whoever makes it. */
  get isFull(): boolean {
    return this.#running >= this.#limits.maxConcurrentCalls;
  }

  /** Calls that wait now. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Takes a place: at once (`undefined`), or when the promise resolves. Every taken place must be released.
   *
   * @throws RpcError when too many wait already; the promise rejects when the one who waits is canceled first.
   */
  acquire(claimant: Claimant): Promise<void> | undefined {
    const party = this.#partyOf(claimant);
    if (!this.isFull && party.mayRun) {
      this.#running += 1;
      party.running += 1;
      return undefined;
    }
    this.#refuse(party, claimant.length);
    return this.#wait(party, claimant);
  }

  /**
   * Makes sure that a claimant could run or wait now.
   *
   * @throws RpcError when too many wait already.
   */
  refuseBeyond(claimant: Pick<Claimant, "length" | "party">): void {
    const party = this.#partyOf(claimant);
    if (this.isFull || !party.mayRun) this.#refuse(party, claimant.length);
  }

  /** Gives a claimant's place back, to the party whose turn it is if any waits. */
  release(claimant: Pick<Claimant, "party">): void {
    this.#running -= 1;
    this.#partyOf(claimant).running -= 1;
    if (this.#waiting > 0) this.#admit();
  }

  /** Lets the next one run. One is enough: whoever else waits has its share, or there is no other free place. */
  #admit(): void {
    for (let turn = this.#turns.first; turn !== undefined; turn = turn.after) {
      const party = turn.value;
      const next = party.mayRun ? party.queue.first : undefined;
      if (next === undefined) continue;
      this.#running += 1;
      party.running += 1;
      this.#leave(party, next);
      // Its next one waits until the other parties had their turn.
      if (this.#turns.size > 1 && this.#turns.delete(turn)) party.turn = this.#turns.add(party);
      next.value.resolve();
      return;
    }
  }

  #wait(party: Party, claimant: Claimant): Promise<void> {
    const { length } = claimant;
    return new Promise((resolve, reject) => {
      const seat = party.queue.add({ length, resolve });
      party.queuedLength += length;
      this.#waiting += 1;
      this.#queuedLength += length;
      party.turn ??= this.#turns.add(party);
      claimant.onCancel((reason) => {
        if (this.#leave(party, seat)) reject(reason);
      });
    });
  }

  #leave(party: Party, seat: Seat<Waiter>): boolean {
    if (!party.queue.delete(seat)) return false;
    if (party.queue.size === 0 && party.turn !== undefined) {
      this.#turns.delete(party.turn);
      party.turn = undefined;
    }
    const { length } = seat.value;
    party.queuedLength -= length;
    this.#waiting -= 1;
    this.#queuedLength -= length;
    return true;
  }

  #refuse(party: Party, length: number): void {
    const { maxQueuedCalls, maxQueuedLength } = this.#limits;
    const hasRoom = this.#waiting < maxQueuedCalls &&
      this.#queuedLength + length <= maxQueuedLength;
    if (hasRoom && party.mayWait(length)) return;
    throw new RpcError(
      INTERNAL_ERROR,
      `Server busy: ${this.#running} calls run and ${this.#waiting} wait; try again later`,
    );
  }

  #partyOf({ party }: Pick<Claimant, "party">): Party {
    if (party === undefined) return this.#sole;
    const known = typeof party === "string" ? this.#named.get(party) : this.#sessions.get(party);
    if (known !== undefined) return known;
    const fresh = new Party(this.#shares);
    if (typeof party === "object") {
      this.#sessions.set(party, fresh);
    } else {
      if (this.#named.size >= MAX_NAMED) this.#forgetIdle();
      this.#named.set(party, fresh);
    }
    return fresh;
  }

  #forgetIdle(): void {
    for (const [name, party] of this.#named) {
      if (party.running === 0 && party.queue.size === 0) this.#named.delete(name);
    }
  }
}

/** The calls of those who count as one. */
class Party {
  readonly queue = new Roster<Waiter>();
  /** Its place among those that wait. */
  turn: Seat<Party> | undefined;
  readonly #limits: SlotLimits;
  running = 0;
  queuedLength = 0;

  /** Nothing runs or waits yet. */
  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get mayRun(): boolean {
    return this.running < this.#limits.maxConcurrentCalls;
  }

  mayWait(length: number): boolean {
    const { maxQueuedCalls, maxQueuedLength } = this.#limits;
    return this.queue.size < maxQueuedCalls && this.queuedLength + length <= maxQueuedLength;
  }
}

interface Waiter {
  readonly length: number;
  readonly resolve: () => void;
}
