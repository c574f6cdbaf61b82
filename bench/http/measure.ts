// The measurements. Every round visits all servers in turn, each time from another one on, so that neither the
// machine's other work nor the order favours one.

import { rotate, toMedian } from "../rounds.ts";
import { findCore, pin } from "./core.ts";
import { ServerProcess, type Session } from "./server_process.ts";
import type { Place, Server, Wire } from "./servers.ts";
import { QuietRunner } from "./stolen.ts";

/** How much is measured. */
export interface Plan {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  /** Loads that may be run again because others took the processors meanwhile. */
  readonly retries: number;
  /** First events timed of each server and wire. */
  readonly events: number;
  /** Sessions opened to see what they cost. */
  readonly sessions: number;
}

/** What a load of one wire with so many connections gave, round by round. */
export interface Throughput {
  readonly wire: Wire;
  readonly connections: number;
  readonly place: Place;
  readonly rounds: readonly Round[];
}

/** What one load gave. */
export interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Whether others had so much of the processors' time that nothing follows from it. */
  readonly isDisturbed: boolean;
}

/** All figures of one run of the benchmark. */
export interface Measurement {
  readonly figures: readonly Figures[];
  /** A sentence about how far they can be trusted. */
  readonly remark: string;
}

/** What was measured of one server. */
export interface Figures {
  readonly name: string;
  readonly throughputs: readonly Throughput[];
  readonly firstEventMs: ReadonlyMap<Wire, number>;
  /** What the sessions of the plan hold together; undefined where there are none. */
  readonly sessionsMib: number | undefined;
}

/** Sessions that a load of the handshake wire is spread over, but no more than it has connections. */
const LOAD_SESSIONS = 8;
/** Away from the port of a server: those of its second process on one core, and of a fresh one. */
const PINNED = 20;
const FRESH = 10;
const WIRES: readonly Wire[] = ["stateless", "handshake"];
const LOAD = new URL("load.lua", import.meta.url).pathname;

/** Measures all servers according to a plan. */
export async function runMeasurement(
  servers: readonly Server[],
  plan: Plan,
): Promise<Measurement> {
  await using opened = new AsyncDisposableStack();
  const core = await findCore();
  const free = servers.map((server) => opened.use(new ServerProcess(server)));
  const pinned = servers.map((server) =>
    opened.use(new ServerProcess(movePort(server, PINNED), core))
  );
  const processes = [...free, ...pinned];
  for (const process of processes) {
    for (const wire of process.server.wires) await process.check(wire);
  }
  const runner = new QuietRunner(plan.retries);
  const throughputs = await measureThroughputs(processes, plan, runner);
  const events = await measureFirstEvents(free, plan.events);
  const figures: Figures[] = [];
  for (const server of servers) {
    const { name, hasSessions } = server;
    figures.push({
      name,
      throughputs: throughputs.get(name) ?? [],
      firstEventMs: events.get(name) ?? new Map(),
      sessionsMib: hasSessions ? await measureSessions(server, plan.sessions) : undefined,
    });
  }
  return { figures, remark: runner.toText() };
}

/** What wrk tells; times in microseconds. */
interface Run {
  readonly requests: number;
  readonly microseconds: number;
  readonly errors: number;
  readonly p50: number;
  readonly p99: number;
}

async function measureThroughputs(
  processes: readonly ServerProcess[],
  plan: Plan,
  runner: QuietRunner,
): Promise<Map<string, Throughput[]>> {
  const results = new Map<string, Throughput[]>();
  for (const wire of WIRES) {
    const able = processes.filter(({ server }) => server.wires.includes(wire));
    const sessions = new Map<ServerProcess, Session[]>();
    for (const process of able) {
      const all = Array.from({ length: LOAD_SESSIONS }, () => process.open(wire));
      sessions.set(process, await Promise.all(all));
      // Warms it up.
      await runLoad(process, wire, sessions.get(process) ?? [], 32, 2);
    }
    for (const connections of plan.connections) {
      const busy = able.filter(({ place }) => place === "free" || connections === 1);
      const rounds = new Map<ServerProcess, Round[]>();
      for (let round = 0; round < plan.rounds; round++) {
        for (const process of rotate(busy, round)) {
          const own = sessions.get(process) ?? [];
          const load = () => runLoad(process, wire, own, connections, plan.seconds);
          const { value, isDisturbed } = await runner.run(load);
          const observed = { ...toRound(value), isDisturbed };
          rounds.set(process, [...rounds.get(process) ?? [], observed]);
        }
      }
      for (const [{ server: { name }, place }, own] of rounds) {
        const throughput = { wire, connections, place, rounds: own };
        results.set(name, [...results.get(name) ?? [], throughput]);
      }
    }
  }
  return results;
}

function toRound({ requests, microseconds, p50, p99 }: Run): Omit<Round, "isDisturbed"> {
  return { perSecond: requests * 1e6 / microseconds, p50Ms: p50 / 1e3, p99Ms: p99 / 1e3 };
}

/** Lets wrk call for some seconds; figures of a server that answers wrongly mean nothing. */
async function runLoad(
  process: ServerProcess,
  wire: Wire,
  sessions: readonly Session[],
  connections: number,
  seconds: number,
): Promise<Run> {
  const used = sessions.slice(0, connections);
  const ids = used.flatMap(({ id }) => id === undefined ? [] : [id]);
  const revision = sessions[0]?.revision ?? "";
  const options = ["-t1", `-c${connections}`, `-d${seconds}s`, "-s", LOAD, process.url];
  const [program, ...args] = pin(["wrk", ...options, "--", wire, revision, ...ids], process.core);
  const { stdout, stderr } = await new Deno.Command(program, { args }).output();
  const printed = new TextDecoder().decode(stdout);
  const json = /^JSON(.*)$/m.exec(printed)?.[1];
  if (json === undefined) {
    throw new Error(`wrk failed: ${printed}${new TextDecoder().decode(stderr)}`);
  }
  const run: Run = JSON.parse(json);
  if (run.errors > 0) {
    throw new Error(`${run.errors} errors of "${process.server.name}": ${printed}`);
  }
  return run;
}

async function measureFirstEvents(
  processes: readonly ServerProcess[],
  count: number,
): Promise<Map<string, Map<Wire, number>>> {
  const results = new Map<string, Map<Wire, number>>();
  for (const wire of WIRES) {
    const times = new Map<string, number[]>();
    for (let round = 0; round < count; round++) {
      for (const process of rotate(processes, round)) {
        const { name, wires, streamPath } = process.server;
        if (!wires.includes(wire) || streamPath === undefined) continue;
        const time = await process.timeFirstEvent(wire, streamPath);
        times.set(name, [...times.get(name) ?? [], time]);
      }
    }
    for (const [name, own] of times) {
      results.set(name, (results.get(name) ?? new Map()).set(wire, toMedian(own)));
    }
  }
  return results;
}

/** In a fresh process, after some sessions that pay for what the first ones load. */
async function measureSessions(server: Server, count: number): Promise<number> {
  await using process = new ServerProcess(movePort(server, FRESH));
  await process.check("handshake");
  for (let at = 0; at < 100; at++) await process.open("handshake");
  const before = await process.readMemory();
  for (let at = 0; at < count; at++) await process.open("handshake");
  return await process.readMemory() - before;
}

/** The same server, listening elsewhere. */
function movePort(server: Server, by: number): Server {
  const port = server.port + by;
  return {
    ...server,
    port,
    args: server.args.map((arg) => arg.replace(`${server.port}`, `${port}`)),
  };
}
