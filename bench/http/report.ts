// What people read: the table of figures, and each target with its verdict. Pure.

import type { Figures, Plan, Throughput } from "./measure.ts";
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
      const find = (one: Figures) => findThroughput(one, wire, connections);
      add(`${label}: requests a second`, (one) => toThousands(find(one)?.perSecond));
      add(`  p50, ms`, (one) => find(one)?.p50Ms.toFixed(2));
      add(`  p99, ms`, (one) => find(one)?.p99Ms.toFixed(2));
    }
    add(`${wire}: first event, ms`, ({ firstEventMs }) => firstEventMs.get(wire)?.toFixed(2));
  }
  const label = `${toThousands(plan.sessions)} idle sessions, MiB`;
  add(label, ({ sessionsMib }) => sessionsMib?.toFixed(1));
  return alignColumns(rows);
}

/** Compares our figures with the targets. */
export function toVerdicts(figures: readonly Figures[], plan: Plan): readonly Verdict[] {
  const ratio = (
    name: string,
    wire: Wire,
    connections: number,
    of: (throughput: Throughput) => number,
  ) => {
    const [ours, theirs] = [OURS, name].map((one) =>
      findThroughput(figures.find((other) => other.name === one), wire, connections)
    );
    return ours === undefined || theirs === undefined ? undefined : of(ours) / of(theirs);
  };
  const verdicts: Verdict[] = [];
  for (const wire of WIRES) {
    for (const connections of plan.connections) {
      const label = `${wire}, ${connections} connections: requests a second`;
      const perSecond = (name: string) => ratio(name, wire, connections, (one) => one.perSecond);
      const ceiling = (perSecond(SDK) ?? NaN) / (perSecond(FLOOR) ?? NaN);
      verdicts.push(
        ...atLeast(8, perSecond(SDK), `${label}, times ${SDK}`),
        ...toKnow(ceiling, `${label} of ${FLOOR}, times ${SDK}`),
        ...atLeast(8, perSecond(SDK_SESSIONS), `${label}, times ${SDK_SESSIONS}`),
        ...atLeast(1, perSecond(LITE), `${label}, times ${LITE}`),
        ...atLeast(1 / 2.5, perSecond(FLOOR), `${label}, times ${FLOOR}`),
      );
    }
    const p99 = ratio(SDK, wire, TYPICAL, (one) => one.p99Ms);
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

function findThroughput(
  figures: Figures | undefined,
  wire: Wire,
  connections: number,
): Throughput | undefined {
  return figures?.throughputs.find((one) => one.wire === wire && one.connections === connections);
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
