// How much of the processors' time others got who share the machine. A load during which they took much says more about
// them than about its server: a call that waited for a processor took tens of milliseconds, with every server.

/** Processor time since the machine started, in ticks. */
interface Ticks {
  /** Used here, or wanted. */
  readonly wanted: number;
  /** Wanted here, and given to others. */
  readonly stolen: number;
}

/** The share of the processors' time above which a load is run again, and how often. */
const MAX_SHARE = 0.03;
const MAX_TRIES = 6;

/** What a load gave. */
export interface Observed<Value> {
  readonly value: Value;
  /** Whether others took so much meanwhile that it says little. */
  readonly isDisturbed: boolean;
}

/** Runs loads, and again those that were disturbed, up to a bound. */
export class QuietRunner {
  #retries: number;
  #wanted = 0;
  #stolen = 0;
  #disturbed = 0;

  /** So many loads at the most are run again. */
  constructor(retries: number) {
    this.#retries = retries;
  }

  /** What the load gave, in its first run that nothing disturbed; when there are no more tries, in its last. */
  async run<Value>(load: () => Promise<Value>): Promise<Observed<Value>> {
    for (let tries = 1;; tries++) {
      const before = await readTicks();
      const value = await load();
      const after = await readTicks();
      const [wanted, stolen] = [after.wanted - before.wanted, after.stolen - before.stolen];
      const isDisturbed = stolen > MAX_SHARE * wanted;
      if (isDisturbed && this.#retries > 0 && tries < MAX_TRIES) {
        this.#retries -= 1;
        continue;
      }
      if (isDisturbed) this.#disturbed += 1;
      this.#wanted += wanted;
      this.#stolen += stolen;
      return { value, isDisturbed };
    }
  }

  /** A sentence about how far the figures can be trusted. */
  toText(): string {
    const percent = (100 * this.#stolen / this.#wanted).toFixed(1);
    return `Others took ${percent} % of the processors' time; ${this.#disturbed} loads were disturbed`;
  }
}

async function readTicks(): Promise<Ticks> {
  // Deno opens files below /proc only for programs that hold every permission, so `cat` does.
  const { stdout } = await new Deno.Command("cat", { args: ["/proc/stat"] }).output();
  const line = /^cpu +(.*)$/m.exec(new TextDecoder().decode(stdout))?.[1];
  if (line === undefined) throw new Error("Cannot read the processors' time: this needs Linux");
  const [user = 0, nice = 0, system = 0, _idle, _waiting, irq = 0, softirq = 0, stolen = 0] = line
    .split(" ").map(Number);
  return { wanted: user + nice + system + irq + softirq + stolen, stolen };
}
