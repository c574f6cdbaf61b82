// Nothing: what a bare `deno run` costs before any server begins.
