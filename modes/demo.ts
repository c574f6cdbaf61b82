/**
 * `mod.ts demo` as a program of its own, with the code of this mode alone: it starts quicker.
 *
 * @module
 */

import { runMode } from "../src/cli/command.ts";
import { DEMO_COMMAND } from "../src/cli/demo.ts";

if (import.meta.main) Deno.exit(await runMode(DEMO_COMMAND, Deno.args));
