// Reads of one connection, one at a time: into the room that its requests have, and in turn with those of others.

import type { HttpFloor } from "./http_floor.ts";
import type { RequestReader } from "./http_request.ts";

/** What a client may send between two turns in a crowd if it ends no request, and what a short read counts for. */
const TURN_BYTES = 128 * 1024;
const READ_BYTES = 16 * 1024;

/** What reads need. */
export interface IntakeOptions {
  readonly conn: Deno.TcpConn;
  readonly reader: RequestReader;
  readonly floor: Pick<HttpFloor, "read" | "tick">;
  /** Takes the count of bytes in the reader's room; `null` at the end. */
  readonly onRead: (count: number | null) => void;
  readonly onFailure: () => void;
}

/** Takes in what a client sends. */
export class Intake {
  readonly #options: IntakeOptions;
  /** What the client has had since its last turn, in bytes. */
  #had = 0;
  #isReading = false;
  #fullSince = 0;
  readonly #onRead = (count: number | null): void => {
    this.#isReading = false;
    if (count !== null) this.#had += Math.max(count, READ_BYTES);
    this.#options.onRead(count);
  };

  /** Reads nothing yet. */
  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** Whether a read is under way or waits for its turn. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Since which tick nothing is read because there is no room; `undefined` while something is. */
  get fullSince(): number | undefined {
    return this.#isReading ? undefined : this.#fullSince;
  }

  /** The client has had all that it may before its next turn. */
  spend(): void {
    this.#had = TURN_BYTES;
  }

  /** Begins the next read, unless one is under way or there is no room for it. */
  read(): void {
    if (this.#isReading) return;
    const { conn, reader, floor, onFailure } = this.#options;
    const room = reader.room();
    if (room === undefined) {
      this.#fullSince = floor.tick;
      return;
    }
    this.#isReading = true;
    const isPatient = this.#had >= TURN_BYTES;
    if (isPatient) this.#had = 0;
    floor.read(conn, room, isPatient).then(this.#onRead, onFailure);
  }
}
