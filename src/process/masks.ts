// Mount points that bubblewrap has to make for protected names that do not exist. They are empty files and
// directories in the user's own directory, so they are removed when the last launch that needs them has ended.

import type { Mask } from "../sandbox/launch_plan.ts";
import type { Watchdog } from "./watchdog.ts";

/** Counts the launches behind each mount point. One instance serves a whole server. */
export class Masks {
  readonly #users = new Map<string, number>();
  readonly #watchdog: Watchdog | undefined;

  /** The watchdog removes mount points when the server cannot. */
  constructor(watchdog?: Watchdog) {
    this.#watchdog = watchdog;
  }

  /** Tells whether a path stands there only because a running launch covers it. */
  has(path: string): boolean {
    return this.#users.has(path);
  }

  /** Registers a launch at once; wait for it before bubblewrap starts. */
  async hold(masks: readonly Mask[]): Promise<void> {
    for (const { path } of masks) this.#users.set(path, (this.#users.get(path) ?? 0) + 1);
    await this.#watchdog?.hold(masks.map(({ path }) => path));
  }

  /** Ends a launch's hold and removes what nobody needs any more. Returns the paths that could not be removed. */
  async release(masks: readonly Mask[]): Promise<readonly string[]> {
    const left: string[] = [];
    for (const mask of masks) {
      const users = (this.#users.get(mask.path) ?? 1) - 1;
      if (users > 0) {
        this.#users.set(mask.path, users);
        continue;
      }
      this.#users.delete(mask.path);
      if (!await removeEmpty(mask)) left.push(mask.path);
    }
    if (this.#users.size === 0) await this.#watchdog?.forget();
    return left;
  }
}

/** Removes an empty file or directory. Anything with content is somebody's and stays. */
async function removeEmpty(mask: Mask): Promise<boolean> {
  try {
    if (mask.shape === "file" && (await Deno.lstat(mask.path)).size > 0) return true;
    await Deno.remove(mask.path);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.NotFound || isNotEmpty(error);
  }
}

function isNotEmpty(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOTEMPTY";
}
