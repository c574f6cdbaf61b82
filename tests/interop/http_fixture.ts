// The everything fixture over HTTP, in a process of its own that may listen on this machine and nothing else.

import { TextLineStream } from "@std/streams";
import { pathOf } from "./programs.ts";

const FIXTURE = pathOf("../../fixtures/servers/everything/http.ts");
const FLAGS = ["run", "--no-prompt", "--quiet", "--allow-net=127.0.0.1:0"];

/** How a fixture ended. */
export interface FixtureEnd {
  readonly code: number;
  readonly stderr: string;
}

/** A fixture that listens; `await using` ends it. */
export class HttpFixture implements AsyncDisposable {
  readonly url: string;
  readonly #child: Deno.ChildProcess;
  readonly #stderr: Promise<string>;

  private constructor(url: string, child: Deno.ChildProcess, stderr: Promise<string>) {
    this.url = url;
    this.#child = child;
    this.#stderr = stderr;
  }

  /**
   * Starts it on a port that the system chooses.
   *
   * @throws Error with its stderr when it does not listen.
   */
  static async start(): Promise<HttpFixture> {
    const args = [...FLAGS, FIXTURE, "0"];
    const child = new Deno.Command("deno", { args, stdout: "piped", stderr: "piped" }).spawn();
    const stderr = new Response(child.stderr).text();
    const lines = child.stdout.pipeThrough(new TextDecoderStream())
      .pipeThrough(new TextLineStream()).getReader();
    const { value: url } = await lines.read();
    if (url === undefined) throw new Error(`The fixture does not listen: ${await stderr}`);
    // It says nothing more; letting go of the pipe lets it end.
    await lines.cancel();
    return new HttpFixture(url, child, stderr);
  }

  /** Asks it to end, and tells how it did. */
  async end(): Promise<FixtureEnd> {
    this.#child.kill("SIGTERM");
    const { code } = await this.#child.status;
    return { code, stderr: await this.#stderr };
  }

  /** Ends it, if it has not ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGTERM");
    } catch {
      // It has ended already.
    }
    await this.#child.status;
    await this.#stderr;
  }
}
