// The table of servers under test: what is started, from where, and which one is ours.

/** A program that speaks MCP over stdio and offers the `echo` tool. */
export interface Server {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: URL;
}

/** The server that the targets are about. */
export const OURS = "bulkhead";
/** The official SDK, which they compare it with. */
export const PEER = "sdk";

const root = new URL("../../", import.meta.url);
const peers = new URL("peers/", import.meta.url);

/** Every server, in the order in which a round measures them. None gets a permission. */
export const SERVERS: readonly Server[] = [
  { name: OURS, program: "deno", args: ["run", "modes/demo.ts"], cwd: root },
  { name: PEER, program: "deno", args: ["run", "--frozen", "sdk_echo.ts"], cwd: peers },
  { name: "json floor", program: "deno", args: ["run", "json_floor.ts"], cwd: peers },
  { name: "byte floor", program: "deno", args: ["run", "byte_floor.ts"], cwd: peers },
];

/** Servers of which nothing but the start is measured. */
export const STARTS: readonly Server[] = [
  { name: "mod.ts demo", program: "deno", args: ["run", "mod.ts", "demo"], cwd: root },
];

/** A program that does nothing: what starting Deno costs by itself. */
export const BARE: Server = {
  name: "bare deno",
  program: "deno",
  args: ["run", "--no-config", "empty.ts"],
  cwd: peers,
};
