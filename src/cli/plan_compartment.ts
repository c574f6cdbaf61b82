// What a mode that starts programs settles before it serves: a manifest that a person named is read, an audit file
// opened, at once. Probes and launchers wait until a program is to be started.

import type { Manifest } from "../permission/manifest.ts";
import type { Log } from "../gateway/log.ts";
import type { ProgramCompartment } from "./compartment.ts";
import { findOne, type ModeServerOptions, parseChoice } from "./server_options.ts";

/** Where a compartment comes from. */
export interface CompartmentPlan {
  /** Of them `--manifest`, `--audit` and `--audit-detail` matter here. */
  readonly options: ModeServerOptions;
  readonly loadManifest: () => Promise<Manifest>;
  readonly log: Log;
  /** Aborts when the server ends. */
  readonly shutdown: AbortSignal;
}

/**
 * Prepares a compartment; it opens when it is first asked for.
 *
 * @throws UsageError when the manifest or the audit file that a person named cannot be used.
 */
export async function planCompartment(
  plan: CompartmentPlan,
): Promise<() => Promise<ProgramCompartment>> {
  const { options, loadManifest, log, shutdown } = plan;
  const auditFile = findOne(options, "audit");
  const detail = findOne(options, "audit-detail");
  const auditArguments =
    parseChoice("--audit-detail", detail, ["summary", "arguments"]) === "arguments";
  // Whoever names a manifest wants to hear at once what is wrong with it.
  const given = findOne(options, "manifest") === undefined ? undefined : await loadManifest();
  const audit = auditFile === undefined
    ? undefined
    : (await import("./audit.ts")).openAudit(auditFile, log);
  let compartment: Promise<ProgramCompartment> | undefined;
  return () =>
    compartment ??= (async () => {
      const { openCompartment } = await import("./compartment.ts");
      const sink = audit ?? (await import("./audit.ts")).openAudit(undefined, log);
      const manifest = given ?? await loadManifest();
      return await openCompartment({ manifest, audit: sink, auditArguments, log, shutdown });
    })();
}

/** Probing walls takes some ten milliseconds, which the first messages of a client should not have to share. */
const TELL_MS = 250;

/** Opens a compartment soon after the start, so that the log says what will run without a sandbox. */
export function tellWalls(compartment: () => Promise<unknown>, log: Log): void {
  const timer = setTimeout(() => {
    compartment().catch((error) => log.write("error", "compartment", { error: String(error) }));
  }, TELL_MS);
  // A server whose client leaves at once does not wait for it.
  Deno.unrefTimer(timer);
}
