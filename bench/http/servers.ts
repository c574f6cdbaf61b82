// The table of servers under test: what is started, where it listens, and which wires it has.

/** The two ways to carry a client's state. */
export type Wire = "stateless" | "handshake";

/** A program that offers the tools `echo` and `count` over HTTP. */
export interface Server {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: URL;
  readonly port: number;
  /** Where calls under load go. */
  readonly path: string;
  readonly wires: readonly Wire[];
  /** Whether it is no MCP server: it has no sessions, and no streams. */
  readonly isFloor: boolean;
}

/** The server that the targets are about. */
export const OURS = "bulkhead";
/** The official SDK. */
export const SDK = "sdk";
/** The small one. */
export const LITE = "mcp-lite";
/** `Deno.serve` and JSON alone. */
export const FLOOR = "bare echo";

const root = new URL("../../", import.meta.url);
const peers = new URL("peers/", import.meta.url);
const RUN = ["run", "--no-prompt", "--quiet"];

/** Every server, in the order in which a round measures them. */
export const SERVERS: readonly Server[] = [
  {
    name: OURS,
    args: [
      ...RUN,
      "--allow-net=127.0.0.1:18801",
      "mod.ts",
      "demo",
      "--http",
      "127.0.0.1:18801",
      "--log-level=warning",
      "--max-sessions=2000",
    ],
    cwd: root,
    port: 18801,
    path: "/mcp",
    wires: ["stateless", "handshake"],
    isFloor: false,
  },
  {
    name: SDK,
    args: [...RUN, "--frozen", "--allow-net=127.0.0.1:18802", "sdk.ts", "18802"],
    cwd: peers,
    port: 18802,
    path: "/mcp?json",
    wires: ["stateless", "handshake"],
    isFloor: false,
  },
  {
    name: LITE,
    args: [...RUN, "--frozen", "--allow-net=127.0.0.1:18803", "mcp_lite.ts", "18803"],
    cwd: peers,
    port: 18803,
    path: "/mcp",
    wires: ["handshake"],
    isFloor: false,
  },
  {
    name: FLOOR,
    args: [...RUN, "--allow-net=127.0.0.1:18804", "bare.ts", "18804"],
    cwd: peers,
    port: 18804,
    path: "/mcp",
    wires: ["stateless", "handshake"],
    isFloor: true,
  },
];
