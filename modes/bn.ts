/**
 * `mod.ts bn` as a program of its own, with the code of this mode alone: it starts quicker.
 *
 * @module
 */

import { runMode } from "../src/cli/command.ts";
import { BN_COMMAND } from "../src/cli/bn.ts";

if (import.meta.main) Deno.exit(await runMode(BN_COMMAND, Deno.args));
