// The table of servers under test: what is started, where it listens, and which wires it has.

/** The two ways to carry a client's state. */
export type Wire = "stateless" | "handshake";

/**
 * Where server and load run. At one connection only one of the two ever has something to do: on a core each, both fall
 * asleep for every call, and most of what is measured is how long the machine takes to wake them. On one core it is
 * their work; but a server that leaves much to other threads, such as collecting garbage, may do better on two.
 */
export type Place = "free" | "one core";

/** A program that offers the tools `echo` and `count` over HTTP. */
export interface Server {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: URL;
  readonly port: number;
  /** Where calls under load go. */
  readonly path: string;
  /** Where calls that tell progress go; undefined where none can be told. */
  readonly streamPath: string | undefined;
  readonly wires: readonly Wire[];
  /** Whether a client of the handshake wire gets a session. */
  readonly hasSessions: boolean;
}

/** The server that the targets are about. */
export const OURS = "bulkhead";
/** The official SDK, as its own handler serves both wires: without sessions. */
export const SDK = "sdk";
/** The same with sessions wired by hand, under load able to answer, but not to tell progress: its fastest way. */
export const SDK_SESSIONS = "sdk sessions";
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
    streamPath: "/mcp",
    wires: ["stateless", "handshake"],
    hasSessions: true,
  },
  {
    name: SDK,
    args: [...RUN, "--frozen", "--allow-net=127.0.0.1:18802", "sdk.ts", "18802"],
    cwd: peers,
    port: 18802,
    path: "/mcp",
    streamPath: "/mcp",
    wires: ["stateless", "handshake"],
    hasSessions: false,
  },
  {
    name: SDK_SESSIONS,
    args: [...RUN, "--frozen", "--allow-net=127.0.0.1:18805", "sdk.ts", "18805"],
    cwd: peers,
    port: 18805,
    path: "/sessions?json",
    streamPath: "/sessions",
    wires: ["handshake"],
    hasSessions: true,
  },
  {
    name: LITE,
    args: [...RUN, "--frozen", "--allow-net=127.0.0.1:18803", "mcp_lite.ts", "18803"],
    cwd: peers,
    port: 18803,
    path: "/mcp",
    streamPath: "/mcp",
    wires: ["handshake"],
    hasSessions: true,
  },
  {
    name: FLOOR,
    args: [...RUN, "--allow-net=127.0.0.1:18804", "bare.ts", "18804"],
    cwd: peers,
    port: 18804,
    path: "/mcp",
    streamPath: undefined,
    wires: ["stateless", "handshake"],
    hasSessions: false,
  },
];
