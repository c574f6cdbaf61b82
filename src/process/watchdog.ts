// Cleans up when the server dies without a chance to do so itself: ends launches that have no process namespace, and
// removes what stood in for protected names. A shell, one for a whole server, waits for the end of a pipe that only
// the server holds; the kernel closes it whatever the server died of.

import { MARK_NAME } from "../sandbox/launch_plan.ts";

/**
 * Until the pipe ends it takes note of paths ("+ PATH", and "-" to forget them all). Then it kills what carries the
 * mark, looking until it finds nothing because a launch may be forking, and removes the noted paths if they are empty.
 * The mark is "$1": written out, the shell would find itself.
 */
const SCRIPT = `trap '' HUP INT TERM
held=
while read -r sign path; do
  case $sign in
  +) held="$held
$path" ;;
  -) held= ;;
  esac
done
for _ in 1 2 3 4 5 6 7 8; do
  pids=$(ps xeww -o pid=,command= | while read -r pid rest; do
    case $rest in *"${MARK_NAME}=$1."*) echo "$pid" ;; esac
  done)
  [ -n "$pids" ] || break
  kill -KILL $pids
done
printf '%s\\n' "$held" | while IFS= read -r path; do
  [ -L "$path" ] && continue
  if [ -d "$path" ]; then rmdir "$path"; elif [ -f "$path" ] && [ ! -s "$path" ]; then rm -f "$path"; fi
done
`;

/** Where the programs of the script are on every system. */
const PATH = "/usr/bin:/bin";

const ENCODER = new TextEncoder();

interface Running {
  readonly child: Deno.ChildProcess;
  readonly pipe: WritableStreamDefaultWriter<Uint8Array>;
  /** The paths it has noted. */
  readonly held: Set<string>;
}

/** Outlives a server by the time it takes to clean up after it. One instance serves a whole server. */
export class Watchdog implements AsyncDisposable {
  readonly #mark = crypto.randomUUID();
  #running: Running | undefined;

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
    this.#running ??= this.#start();
    return true;
  }

  /** Notes paths that are to be removed, if they are empty, when the server dies; call it before they are made. */
  async hold(paths: readonly string[]): Promise<void> {
    if (paths.length === 0 || !await this.guard()) return;
    const fresh = paths.filter((path) => !this.#running?.held.has(path));
    for (const path of fresh) this.#running?.held.add(path);
    await this.#tell(fresh.map((path) => `+ ${path}\n`).join(""));
  }

  /** Forgets all paths: none of them stands there any more. */
  async forget(): Promise<void> {
    if (this.#running === undefined || this.#running.held.size === 0) return;
    this.#running.held.clear();
    await this.#tell("-\n");
  }

  async #tell(lines: string): Promise<void> {
    try {
      await this.#running?.pipe.write(ENCODER.encode(lines));
    } catch {
      // Somebody ended it; the next launch starts another one.
      this.#running = undefined;
    }
  }

  #start(): Running {
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
    const running = { child, pipe: child.stdin.getWriter(), held: new Set<string>() };
    child.status.then(() => {
      if (this.#running === running) this.#running = undefined;
    });
    return running;
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
