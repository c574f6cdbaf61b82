// What people read: the table of figures, and each target with its verdict. Pure.

import { toMedian } from "../rounds.ts";
import type { Figures, Plan, Round, Throughput } from "./measure.ts";
import { FLOOR, LITE, OURS, type Place, SDK, SDK_SESSIONS, type Wire } from "./servers.ts";

/** One comparison: what was to be reached, if anything, and whether it was, if that can be told. */
export interface Verdict {
  readonly reached: boolean | "unsure" | undefined;
  readonly text: string;
}

const WIRES: readonly Wire[] = ["stateless", "handshake"];
/** What a server had to bear. */
type Load = Pick<Throughput, "connections" | "place">;

/** The number of connections at which long waits are compared. */
const TYPICAL = 32;

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
 * rounds counts: the machine is now faster, now slower, by more than some of them differ. Rounds that others disturbed
 * decide nothing. At one connection each is taken where it is faster; what two cores alone give is told beside.
 */
export function toVerdicts(figures: readonly Figures[], plan: Plan): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  for (const wire of WIRES) {
    for (const connections of plan.connections) {
      const places = connections === 1 ? PLACES : ["free" as const];
      const rate: Rate = { wire, connections, places, of: ({ perSecond }) => perSecond };
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
    const typical: Rate = {
      wire,
      connections: TYPICAL,
      places: ["free"],
      of: ({ p99Ms }) => p99Ms,
    };
    const p99 = compareRates(figures, [OURS, SDK], typical);
    verdicts.push(...atMost(1 / 3, p99, `${wire}, ${count(TYPICAL)}: p99, times ${SDK}`));
  }
  return verdicts;
}

/** One figure of a server with so many connections, in the best of some places. */
interface Rate {
  readonly wire: Wire;
  readonly connections: number;
  readonly places: readonly Place[];
  readonly of: (round: Round) => number;
}

/** How one server compares with another: by the rounds that nobody disturbed, if there are any. */
interface Comparison {
  readonly ratio: number;
  readonly isSure: boolean;
}

function compareRates(
  figures: readonly Figures[],
  names: readonly [string, string],
  rate: Rate,
): Comparison | undefined {
  const [ours, theirs] = names.map((name) =>
    toRates(figures.find((one) => one.name === name), rate)
  );
  if (ours === undefined || theirs === undefined) return undefined;
  const rounds = ours.map((one, at) => {
    const other = theirs[at] ?? one;
    return { ratio: one.figure / other.figure, isSure: one.isSure && other.isSure };
  });
  const sure = rounds.filter(({ isSure }) => isSure);
  const isSure = sure.length >= MIN_SURE;
  return { ratio: toMedian((isSure ? sure : rounds).map(({ ratio }) => ratio)), isSure };
}

/** So many rounds must have been left alone for their median to say something. */
const MIN_SURE = 3;

/** A figure of each round; `undefined` where the server has not this wire. */
function toRates(
  figures: Figures | undefined,
  { wire, connections, places, of }: Rate,
): readonly { readonly figure: number; readonly isSure: boolean }[] | undefined {
  const all = places.map((place) => findRounds(figures, wire, { connections, place }) ?? []);
  const count = Math.min(...all.map(({ length }) => length));
  if (count === 0) return undefined;
  return Array.from({ length: count }, (_, at) => {
    const rounds = all.flatMap((own) => own.slice(at, at + 1));
    const isSure = rounds.every(({ isDisturbed }) => !isDisturbed);
    return { figure: Math.max(...rounds.map(of)), isSure };
  });
}

/** Renders one line a target. */
export function renderVerdicts(verdicts: readonly Verdict[]): string {
  return verdicts.map(({ reached, text }) => `${toMark(reached)} ${text}\n`).join("");
}

function toMark(reached: Verdict["reached"]): string {
  if (reached === undefined) return "      ";
  if (reached === "unsure") return "unsure";
  return reached ? "ok    " : "MISSED";
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

function atMost(limit: number, found: Comparison | undefined, label: string): Verdict[] {
  if (found === undefined) return [];
  const text = `${label}: ${found.ratio.toFixed(2)} (at most ${limit.toFixed(2)})`;
  return [{ reached: found.isSure ? found.ratio <= limit : "unsure", text }];
}

/** Without a limit it is only told. */
function atLeast(
  limit: number | undefined,
  found: Comparison | undefined,
  label: string,
): Verdict[] {
  if (found === undefined) return [];
  const { ratio, isSure } = found;
  const goal = limit === undefined ? "no target" : `at least ${limit.toFixed(2)}`;
  const text = `${label}: ${ratio.toFixed(2)} (${goal})`;
  if (limit === undefined) return [{ reached: undefined, text }];
  return [{ reached: isSure ? ratio >= limit : "unsure", text }];
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
