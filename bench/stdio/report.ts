// What people read: the table of figures, and each target with its verdict. Pure.

import type { Figures, Measurement, Plan } from "./measure.ts";
import { OURS, PEER } from "./servers.ts";

/** One target: what was to be reached and what was. */
export interface Verdict {
  readonly reached: boolean;
  readonly text: string;
}

/** Renders all figures as a table, one server a column. */
export function renderTable(measurement: Measurement, plan: Plan): string {
  const { servers } = measurement;
  const rows: string[][] = [["", ...servers.map(({ name }) => name)]];
  const add = (label: string, cell: (figures: Figures) => string) => {
    rows.push([label, ...servers.map(cell)]);
  };
  add("start to initialize reply, ms", ({ startMs }) => startMs.toFixed(1));
  add("  times a bare deno run", ({ startMs }) => (startMs / measurement.bareMs).toFixed(2));
  add("pipelined pings a second", ({ pingsPerSecond }) => toThousands(pingsPerSecond));
  add("pipelined echo calls a second", ({ callsPerSecond }) => toThousands(callsPerSecond));
  add("sequential call p50, ms", ({ p50Ms }) => p50Ms.toFixed(3));
  add("sequential call p99, ms", ({ p99Ms }) => p99Ms.toFixed(3));
  for (const [at, { count }] of plan.sizes.entries()) {
    add(
      `us a call, ${toThousands(count)} at once`,
      ({ costsUs }) => (costsUs[at] ?? NaN).toFixed(2),
    );
  }
  add("memory idle, MiB", ({ idleMib }) => idleMib.toFixed(1));
  add("memory peak, MiB", ({ peakMib }) => peakMib.toFixed(1));
  const starts = measurement.starts.map(({ name, startMs }) =>
    `start of ${name}: ${startMs.toFixed(1)} ms, ${
      (startMs / measurement.bareMs).toFixed(2)
    } times a bare deno run\n`
  );
  const bare = `bare deno run: ${measurement.bareMs.toFixed(1)} ms\n`;
  return `${bare}${starts.join("")}\n${alignColumns(rows)}`;
}

/**
 * Compares our figures with the targets.
 *
 * @throws {RangeError} when our server or the peer was not measured.
 */
export function toVerdicts(measurement: Measurement, plan: Plan): readonly Verdict[] {
  const ours = getFigures(measurement, OURS);
  const peer = getFigures(measurement, PEER);
  const first = plan.sizes[0]?.count ?? NaN;
  const last = plan.sizes.at(-1)?.count ?? NaN;
  return [
    atMost(1.6, ours.startMs / measurement.bareMs, "start, times a bare deno run"),
    atLeast(5, ours.pingsPerSecond / peer.pingsPerSecond, `pipelined pings, times ${PEER}`),
    atLeast(4, ours.callsPerSecond / peer.callsPerSecond, `pipelined echo calls, times ${PEER}`),
    atMost(1, ours.p50Ms / peer.p50Ms, `sequential call p50, times ${PEER}`),
    atMost(
      1.25,
      (ours.costsUs.at(-1) ?? NaN) / (ours.costsUs[0] ?? NaN),
      `cost a call at ${toThousands(last)}, times at ${toThousands(first)}`,
    ),
    atMost(60, ours.idleMib, "memory idle, MiB"),
  ];
}

/** Renders one line a target. */
export function renderVerdicts(verdicts: readonly Verdict[]): string {
  return verdicts.map(({ reached, text }) => `${reached ? "ok    " : "MISSED"} ${text}\n`).join("");
}

function atMost(limit: number, figure: number, label: string): Verdict {
  return { reached: figure <= limit, text: `${label}: ${figure.toFixed(2)} (at most ${limit})` };
}

function atLeast(limit: number, figure: number, label: string): Verdict {
  return { reached: figure >= limit, text: `${label}: ${figure.toFixed(2)} (at least ${limit})` };
}

function getFigures(measurement: Measurement, name: string): Figures {
  const figures = measurement.servers.find((server) => server.name === name);
  if (figures === undefined) throw new RangeError(`Server "${name}" was not measured`);
  return figures;
}

function toThousands(value: number): string {
  return Math.round(value).toLocaleString("en-US");
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
