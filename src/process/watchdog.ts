// Ends marked launches when the server dies without a chance to do so itself. A shell, one for a whole server, waits
// for the end of a pipe that only the server holds; the kernel closes it whatever the server died of.

import { MARK_NAME } from "../sandbox/launch_plan.ts";

/**
 * Runs when the pipe has ended. A launch may be forking meanwhile, so it looks until it finds nothing. The mark is
 * "$1": written out, the shell would find itself.
 */
const SCRIPT = [
  "trap '' HUP INT TERM",
  "while read -r _; do :; done",
  "for _ in 1 2 3 4 5 6 7 8; do",
  `  pids=$(ps xeww -o pid=,command= | while read -r pid rest; do`,
  `    case $rest in *"${MARK_NAME}=$1."*) echo "$pid" ;; esac`,
  "  done)",
  '  [ -n "$pids" ] || exit 0',
  "  kill -KILL $pids 2>/dev/null",
  "done",
].join("\n");

/** Where `ps` and `kill` are on every system. */
const PATH = "/usr/bin:/bin";

/** Outlives a server by the time it takes to end what the server left. One instance serves a whole server. */
export class Watchdog implements AsyncDisposable {
  readonly #mark = crypto.randomUUID();
  #running: { readonly child: Deno.ChildProcess; readonly pipe: WritableStream } | undefined;

  /** A new word for one launch, by which the watchdog finds its processes. */
  createMark(): string {
    return `${this.#mark}.${crypto.randomUUID()}`;
  }

  /** Starts the watchdog unless it runs; call it before a marked launch. False when Deno does not allow it. */
  async guard(): Promise<boolean> {
    if (this.#running !== undefined) return true;
    for (const command of ["sh", "ps", "kill"]) {
      const { state } = await Deno.permissions.query({ name: "run", command });
      if (state !== "granted") return false;
    }
    // Another launch may have started it meanwhile.
    if (this.#running === undefined) this.#start();
    return true;
  }

  #start(): void {
    const child = new Deno.Command("sh", {
      args: ["-c", SCRIPT, "bulkhead-watchdog", this.#mark],
      clearEnv: true,
      env: { PATH },
      cwd: "/",
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      // In a group of its own, so that a signal to the server's group does not reach it.
      detached: true,
    }).spawn();
    // It must not keep a server alive that has nothing else to do.
    child.unref();
    this.#running = { child, pipe: child.stdin };
    child.status.then(() => this.#running = undefined);
  }

  /** Ends the watchdog, and with it every marked launch that still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    running.child.ref();
    await running.pipe.close();
    await running.child.status;
  }
}
