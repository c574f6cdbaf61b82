// The measurements. Every round visits all servers in turn, each time from another one on, so that
// neither the machine's other work nor the order favours one; a figure is the median over rounds.

import { rotate, toMedian, toQuantile } from "../rounds.ts";
import { checkReplies, encodeLoad, type Load, type LoadKind } from "./load.ts";
import { ServerProcess } from "./server_process.ts";
import { BARE, type Server, STARTS } from "./servers.ts";

/** How much is measured. */
export interface Plan {
  readonly startRounds: number;
  readonly rounds: number;
  /** Messages of one pipelined run, and of the warm-up before the first. */
  readonly pipelined: number;
  /** Short runs and many: latency follows the machine's mood, which must be the same for all. */
  readonly sequential: Size;
  /** The sizes at which the cost of a call is compared, smallest first. */
  readonly sizes: readonly Size[];
}

/** How many messages a run has, and how many runs there are. */
export interface Size {
  readonly count: number;
  readonly rounds: number;
}

/** What was measured of one server. */
export interface Figures {
  readonly name: string;
  /** From the spawn to the reply to `initialize`. */
  readonly startMs: number;
  readonly pingsPerSecond: number;
  readonly callsPerSecond: number;
  /** Of calls with one in flight. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Microseconds a call, for each of {@linkcode Plan.sizes}. */
  readonly costsUs: readonly number[];
  readonly idleMib: number;
  readonly peakMib: number;
}

/** All figures of one run of the benchmark. */
export interface Measurement {
  /** From the spawn to the end of a program that does nothing. */
  readonly bareMs: number;
  readonly servers: readonly Figures[];
  /** Of servers of which nothing but the start is measured. */
  readonly starts: readonly Pick<Figures, "name" | "startMs">[];
}

/** Lets a fresh server finish what follows its first reply before its memory is read. */
const SETTLE_MS = 500;

/** Measures all servers according to a plan. */
export async function runMeasurement(
  servers: readonly Server[],
  plan: Plan,
): Promise<Measurement> {
  const { bareMs, startsMs } = await measureStarts([...servers, ...STARTS], plan.startRounds);
  await using opened = new AsyncDisposableStack();
  const subjects: Subject[] = [];
  for (const server of servers) {
    const process = opened.use(new ServerProcess(server));
    await process.initialize();
    await process.confirm();
    subjects.push(new Subject(server.name, process));
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const idle = await eachInTurn(subjects, (subject) => subject.process.readMemory());

  await measurePipelined(subjects, "ping", { count: plan.pipelined, rounds: 1 });
  await measurePipelined(subjects, "echo", { count: plan.pipelined, rounds: 1 });
  const repeated = { count: plan.pipelined, rounds: plan.rounds };
  const pingsUs = await measurePipelined(subjects, "ping", repeated);
  const callsUs = await measurePipelined(subjects, "echo", repeated);
  await measureSequential(subjects, { ...plan.sequential, rounds: 1 });
  const latenciesMs = await measureSequential(subjects, plan.sequential);
  const costsUs: Map<Subject, number>[] = [];
  for (const size of plan.sizes) costsUs.push(await measurePipelined(subjects, "echo", size));
  const peak = await eachInTurn(subjects, (subject) => subject.process.readMemory());

  return {
    bareMs,
    starts: STARTS.map(({ name }) => ({ name, startMs: getOf(startsMs, name) })),
    servers: subjects.map((subject) => ({
      name: subject.name,
      startMs: getOf(startsMs, subject.name),
      pingsPerSecond: 1e6 / getOf(pingsUs, subject),
      callsPerSecond: 1e6 / getOf(callsUs, subject),
      p50Ms: toQuantile(getOf(latenciesMs, subject), 0.5),
      p99Ms: toQuantile(getOf(latenciesMs, subject), 0.99),
      costsUs: costsUs.map((costs) => getOf(costs, subject)),
      idleMib: getOf(idle, subject).residentMib,
      peakMib: getOf(peak, subject).peakMib,
    })),
  };
}

/** An open server with the ids it has not seen yet: no id comes twice on one connection. */
class Subject {
  readonly name: string;
  readonly process: ServerProcess;
  #nextId = 1;

  constructor(name: string, process: ServerProcess) {
    this.name = name;
    this.process = process;
  }

  encodeLoad(kind: LoadKind, count: number): Load {
    const load = encodeLoad(kind, { first: this.#nextId, count });
    this.#nextId += count;
    return load;
  }
}

async function measureStarts(
  servers: readonly Server[],
  rounds: number,
): Promise<{ bareMs: number; startsMs: Map<string, number> }> {
  const samples = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    const add = (name: string, sampleMs: number) => {
      // The first round fills the compile caches of Deno and the page cache; it does not count.
      if (round > 0) samples.set(name, [...samples.get(name) ?? [], sampleMs]);
    };
    add(BARE.name, await runBare());
    for (const server of rotate(servers, round)) add(server.name, await runStart(server));
  }
  return {
    bareMs: toMedian(getOf(samples, BARE.name)),
    startsMs: new Map(servers.map(({ name }) => [name, toMedian(getOf(samples, name))])),
  };
}

async function runBare(): Promise<number> {
  const command = new Deno.Command(BARE.program, {
    args: [...BARE.args],
    cwd: BARE.cwd,
    stdin: "null",
    stdout: "null",
  });
  const begin = performance.now();
  const { success } = await command.spawn().status;
  if (!success) throw new Error(`Cannot run "${BARE.program} ${BARE.args.join(" ")}"`);
  return performance.now() - begin;
}

async function runStart(server: Server): Promise<number> {
  const begin = performance.now();
  await using process = new ServerProcess(server);
  await process.initialize();
  return performance.now() - begin;
}

/** Microseconds a message, the median over the rounds. */
async function measurePipelined(
  subjects: readonly Subject[],
  kind: LoadKind,
  size: Size,
): Promise<Map<Subject, number>> {
  const samples = await eachRound(subjects, size.rounds, async (subject) => {
    const load = subject.encodeLoad(kind, size.count);
    const { elapsedMs, replies } = await subject.process.runPipelined(load);
    checkReplies(load, replies);
    return [elapsedMs * 1e3 / size.count];
  });
  return new Map(subjects.map((subject) => [subject, toMedian(getOf(samples, subject))]));
}

function measureSequential(
  subjects: readonly Subject[],
  size: Size,
): Promise<Map<Subject, number[]>> {
  return eachRound(subjects, size.rounds, async (subject) => {
    const load = subject.encodeLoad("echo", size.count);
    const { latenciesMs, replies } = await subject.process.runSequential(load);
    checkReplies(load, replies);
    return latenciesMs;
  });
}

async function eachRound(
  subjects: readonly Subject[],
  rounds: number,
  sample: (subject: Subject) => Promise<readonly number[]>,
): Promise<Map<Subject, number[]>> {
  const samples = new Map(subjects.map((subject): [Subject, number[]] => [subject, []]));
  for (let round = 0; round < rounds; round++) {
    for (const subject of rotate(subjects, round)) {
      getOf(samples, subject).push(...await sample(subject));
    }
  }
  return samples;
}

async function eachInTurn<T>(
  subjects: readonly Subject[],
  read: (subject: Subject) => Promise<T>,
): Promise<Map<Subject, T>> {
  const values = new Map<Subject, T>();
  for (const subject of subjects) values.set(subject, await read(subject));
  return values;
}

function getOf<K, V>(values: ReadonlyMap<K, V>, key: K): V {
  const value = values.get(key);
  if (value === undefined) throw new RangeError(`Nothing was measured for "${key}"`);
  return value;
}
