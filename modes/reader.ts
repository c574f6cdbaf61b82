/**
 * `mod.ts reader` as a program of its own, with the code of this mode alone: it starts quicker.
 *
 * @module
 */

import { runMode } from "../src/cli/command.ts";
import { READER_COMMAND } from "../src/cli/reader.ts";

if (import.meta.main) Deno.exit(await runMode(READER_COMMAND, Deno.args));
