// Where audit events go: to the log, or as lines to a file that a person named.

import type { Log } from "../gateway/log.ts";
import type { AuditSink } from "../process/audit.ts";
import { UsageError } from "./command.ts";

/**
 * The sink of a server's audit. A file is appended to; every line is written before the launch it is about is answered.
 *
 * @throws UsageError when the file cannot be written.
 */
export function openAudit(file: string | undefined, log: Log): AuditSink {
  if (file === undefined) {
    return ({ time: _, ...event }) => log.write("info", "audit", { ...event });
  }
  const output = openFile(file);
  const encoder = new TextEncoder();
  let isBroken = false;
  return (event) => {
    try {
      let bytes = encoder.encode(`${JSON.stringify(event)}\n`);
      while (bytes.length > 0) bytes = bytes.subarray(output.writeSync(bytes));
    } catch (error) {
      // A full disk must not stop the server; it is said once, and the events go to the log.
      if (!isBroken) log.write("error", "audit_failed", { error: String(error) });
      isBroken = true;
      log.write("info", "audit", { ...event });
    }
  };
}

function openFile(file: string): Deno.FsFile {
  const { state } = Deno.permissions.querySync({ name: "write", path: file });
  if (state !== "granted") {
    throw new UsageError(`Cannot write audit "${file}": start with --allow-write=${file}`);
  }
  try {
    return Deno.openSync(file, { append: true, create: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`Cannot write audit "${file}": ${reason}`);
  }
}
