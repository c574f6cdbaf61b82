// What people read: the table of figures, and each target with its verdict. Pure.

import { toMedian } from "../rounds.ts";
import type { Figures, Plan, Round, Throughput } from "./measure.ts";
import { FLOOR, LITE, OURS, type Place, SDK, SDK_SESSIONS, type Wire } from "./servers.ts";

/** One comparison: what was to be reached, if anything, and what was. */
export interface Verdict {
  readonly reached: boolean | undefined;
  readonly text: string;
}

const WIRES: readonly Wire[] = ["stateless", "handshake"];
/** What a server had to bear. */
type Load = Pick<Throughput, "connections" | "place">;

/** The load at which long waits are compared. */
const TYPICAL: Load = { connections: 32, place: "free" };

const PLACES: readonly Place[] = ["one core", "free"];

function toLoads({ connections }: Plan): readonly Load[] {
  return connections.flatMap((count): Load[] =>
    (count === 1 ? PLACES : ["free" as const]).map((place) => ({ connections: count, place }))
  );
}

function describe({ connections, place }: Load): string {
  return place === "free" ? count(connections) : `${count(connections)} on ${place}`;
}

function count(connections: number): string {
  return connections === 1 ? "1 connection" : `${connections} connections`;
}

/** Renders all figures as a table, one server a column. */
export function renderTable(figures: readonly Figures[], plan: Plan): string {
  const rows: string[][] = [["", ...figures.map(({ name }) => name)]];
  const add = (label: string, cell: (one: Figures) => string | undefined) => {
    rows.push([label, ...figures.map((one) => cell(one) ?? "-")]);
  };
  for (const wire of WIRES) {
    for (const load of toLoads(plan)) {
      const label = `${wire}, ${describe(load)}`;
      const find = (one: Figures, of: (round: Round) => number) => {
        const rounds = findRounds(one, wire, load);
        return rounds === undefined ? undefined : toMedian(rounds.map(of));
      };
      add(
        `${label}: requests a second`,
        (one) => toThousands(find(one, ({ perSecond }) => perSecond)),
      );
      add(`  p50, ms`, (one) => find(one, ({ p50Ms }) => p50Ms)?.toFixed(2));
      add(`  p99, ms`, (one) => find(one, ({ p99Ms }) => p99Ms)?.toFixed(2));
    }
    add(`${wire}: first event, ms`, ({ firstEventMs }) => firstEventMs.get(wire)?.toFixed(2));
  }
  const label = `${toThousands(plan.sessions)} idle sessions, MiB`;
  add(label, ({ sessionsMib }) => sessionsMib?.toFixed(1));
  return alignColumns(rows);
}

/**
 * Compares our figures with the targets. Servers are compared within a round, seconds apart, and the median of the
 * rounds counts: the machine is now faster, now slower, by more than some of them differ. At one connection each is
 * taken where it is faster; what two cores alone give is told beside.
 */
export function toVerdicts(figures: readonly Figures[], plan: Plan): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  for (const wire of WIRES) {
    for (const connections of plan.connections) {
      const rate: Rate = { wire, connections, places: connections === 1 ? PLACES : ["free"] };
      const label = `${wire}, ${count(connections)}: requests a second`;
      const perSecond = (name: string, of = OURS) => compareRates(figures, [of, name], rate);
      verdicts.push(
        ...atLeast(8, perSecond(SDK), `${label}, times ${SDK}`),
        ...atLeast(undefined, perSecond(SDK, FLOOR), `${label} of ${FLOOR}, times ${SDK}`),
        ...atLeast(undefined, perSecond(SDK_SESSIONS), `${label}, times ${SDK_SESSIONS}`),
        ...atLeast(1, perSecond(LITE), `${label}, times ${LITE}`),
        ...atLeast(1 / 2.5, perSecond(FLOOR), `${label}, times ${FLOOR}`),
      );
      if (connections > 1) continue;
      const free: Rate = { ...rate, places: ["free"] };
      const asleep = `${wire}, ${count(connections)} on two cores: requests a second`;
      for (const name of [OURS, FLOOR]) {
        const figure = compareRates(figures, [name, SDK], free);
        verdicts.push(...atLeast(undefined, figure, `${asleep} of ${name}, times ${SDK}`));
      }
    }
    const [ours, theirs] = [OURS, SDK].map((name) =>
      findRounds(figures.find((one) => one.name === name), wire, TYPICAL)
    );
    if (ours === undefined || theirs === undefined) continue;
    const p99 = toMedian(ours.map(({ p99Ms }, at) => p99Ms / (theirs[at]?.p99Ms ?? NaN)));
    verdicts.push(...atMost(1 / 3, p99, `${wire}, ${describe(TYPICAL)}: p99, times ${SDK}`));
  }
  return verdicts;
}

/** How often a server answers with so many connections, in the best of some places. */
interface Rate {
  readonly wire: Wire;
  readonly connections: number;
  readonly places: readonly Place[];
}

function compareRates(
  figures: readonly Figures[],
  names: readonly [string, string],
  rate: Rate,
): number | undefined {
  const [ours, theirs] = names.map((name) =>
    toRates(figures.find((one) => one.name === name), rate)
  );
  if (ours === undefined || theirs === undefined) return undefined;
  return toMedian(ours.map((figure, at) => figure / (theirs[at] ?? NaN)));
}

/** Requests a second of each round; `undefined` where the server has not this wire. */
function toRates(figures: Figures | undefined, rate: Rate): readonly number[] | undefined {
  const { wire, connections, places } = rate;
  const all = places.map((place) => findRounds(figures, wire, { connections, place }) ?? []);
  const rounds = Math.min(...all.map(({ length }) => length));
  if (rounds === 0) return undefined;
  return Array.from(
    { length: rounds },
    (_, at) => Math.max(...all.map((own) => own[at]?.perSecond ?? NaN)),
  );
}

/** Renders one line a target. */
export function renderVerdicts(verdicts: readonly Verdict[]): string {
  const mark = (reached: boolean | undefined) => {
    if (reached === undefined) return "      ";
    return reached ? "ok    " : "MISSED";
  };
  return verdicts.map(({ reached, text }) => `${mark(reached)} ${text}\n`).join("");
}

function findRounds(
  figures: Figures | undefined,
  wire: Wire,
  { connections, place }: Load,
): readonly Round[] | undefined {
  return figures?.throughputs.find((one) =>
    one.wire === wire && one.connections === connections && one.place === place
  )?.rounds;
}

function atMost(limit: number, figure: number | undefined, label: string): Verdict[] {
  if (figure === undefined) return [];
  const text = `${label}: ${figure.toFixed(2)} (at most ${limit.toFixed(2)})`;
  return [{ reached: figure <= limit, text }];
}

/** Without a limit it is only told. */
function atLeast(limit: number | undefined, figure: number | undefined, label: string): Verdict[] {
  if (figure === undefined) return [];
  const goal = limit === undefined ? "no target" : `at least ${limit.toFixed(2)}`;
  const text = `${label}: ${figure.toFixed(2)} (${goal})`;
  return [{ reached: limit === undefined ? undefined : figure >= limit, text }];
}

function toThousands(value: number | undefined): string | undefined {
  return value === undefined ? undefined : Math.round(value).toLocaleString("en-US");
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ??
    [];
  return rows.map((row) =>
    row.map((cell, at) => {
      const width = widths[at] ?? 0;
      return at === 0 ? cell.padEnd(width) : cell.padStart(width);
    }).join("  ") + "\n"
  ).join("");
}
