// The version of this program; a test keeps it equal to the one in `deno.json`.

/** The version, as `--version` prints it and clients see it. */
export const VERSION = "0.1.0";
