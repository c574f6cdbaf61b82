// `mod.ts demo`: serves three harmless tools.

import { DEMO_PROVIDER } from "../providers/demo/demo.ts";
import type { Command } from "./command.ts";
import { defaultOptions, serve } from "./serve.ts";

/** The mode that shows the server without touching anything. */
export const DEMO_COMMAND: Command = {
  name: "demo",
  summary: "serve three harmless tools: see that a client connects, and what may be touched",
  help: async () =>
    `Usage: deno run mod.ts demo [options]

Serves the tools echo, count and permissions, a resource and a prompt over stdio or HTTP. Needs no permission for stdio.

${(await import("./server_options.ts")).SERVER_OPTIONS_HELP}
Examples:
  deno run mod.ts demo
  deno run --allow-env=BULKHEAD_LOG_LEVEL mod.ts demo --max-concurrent 4
`,
  async run(args, openHttp) {
    // What reads options is loaded where there are some: this mode is mostly started without.
    const options = args.length === 0
      ? defaultOptions()
      : (await import("./server_options.ts")).parseServerOptions(args);
    const activation = await DEMO_PROVIDER.activate({ namespace: "demo" });
    return await serve({ mode: "demo", activations: [activation], options, needs: [], openHttp });
  },
};
