// What people read: the table of figures, and each target with its verdict. Pure.

import { toMedian } from "../rounds.ts";
import type { Figures, Plan, Round } from "./measure.ts";
import { FLOOR, LITE, OURS, SDK, SDK_SESSIONS, type Wire } from "./servers.ts";

/** One comparison: what was to be reached, if anything, and what was. */
export interface Verdict {
  readonly reached: boolean | undefined;
  readonly text: string;
}

const WIRES: readonly Wire[] = ["stateless", "handshake"];
/** The number of connections at which long waits are compared. */
const TYPICAL = 32;

/** Renders all figures as a table, one server a column. */
export function renderTable(figures: readonly Figures[], plan: Plan): string {
  const rows: string[][] = [["", ...figures.map(({ name }) => name)]];
  const add = (label: string, cell: (one: Figures) => string | undefined) => {
    rows.push([label, ...figures.map((one) => cell(one) ?? "-")]);
  };
  for (const wire of WIRES) {
    for (const connections of plan.connections) {
      const label = `${wire}, ${connections} connections`;
      const find = (one: Figures, of: (round: Round) => number) => {
        const rounds = findRounds(one, wire, connections);
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
 * rounds counts: the machine is now faster, now slower, by more than some of them differ.
 */
export function toVerdicts(figures: readonly Figures[], plan: Plan): readonly Verdict[] {
  const ratio = (
    names: readonly [string, string],
    wire: Wire,
    connections: number,
    of: (round: Round) => number,
  ) => {
    const [ours, theirs] = names.map((name) =>
      findRounds(figures.find((one) => one.name === name), wire, connections)?.map(of)
    );
    if (ours === undefined || theirs === undefined) return undefined;
    return toMedian(ours.map((figure, at) => figure / (theirs[at] ?? NaN)));
  };
  const verdicts: Verdict[] = [];
  for (const wire of WIRES) {
    for (const connections of plan.connections) {
      const label = `${wire}, ${connections} connections: requests a second`;
      const perSecond = (name: string, of = OURS) =>
        ratio([of, name], wire, connections, (round) => round.perSecond);
      verdicts.push(
        ...atLeast(8, perSecond(SDK), `${label}, times ${SDK}`),
        ...toKnow(perSecond(SDK, FLOOR), `${label} of ${FLOOR}, times ${SDK}`),
        ...atLeast(8, perSecond(SDK_SESSIONS), `${label}, times ${SDK_SESSIONS}`),
        ...atLeast(1, perSecond(LITE), `${label}, times ${LITE}`),
        ...atLeast(1 / 2.5, perSecond(FLOOR), `${label}, times ${FLOOR}`),
      );
    }
    const p99 = ratio([OURS, SDK], wire, TYPICAL, (round) => round.p99Ms);
    verdicts.push(...atMost(1 / 3, p99, `${wire}, ${TYPICAL} connections: p99, times ${SDK}`));
  }
  return verdicts;
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
  connections: number,
): readonly Round[] | undefined {
  return figures?.throughputs.find((one) => one.wire === wire && one.connections === connections)
    ?.rounds;
}

function atMost(limit: number, figure: number | undefined, label: string): Verdict[] {
  if (figure === undefined) return [];
  const text = `${label}: ${figure.toFixed(2)} (at most ${limit.toFixed(2)})`;
  return [{ reached: figure <= limit, text }];
}

function atLeast(limit: number, figure: number | undefined, label: string): Verdict[] {
  if (figure === undefined) return [];
  const text = `${label}: ${figure.toFixed(2)} (at least ${limit.toFixed(2)})`;
  return [{ reached: figure >= limit, text }];
}

function toKnow(figure: number | undefined, label: string): Verdict[] {
  return figure === undefined
    ? []
    : [{ reached: undefined, text: `${label}: ${figure.toFixed(2)} (no target)` }];
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
