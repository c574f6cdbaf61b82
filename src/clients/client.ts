// The AI applications whose configuration can be written: where each keeps it, in which shape, and its quirks. Adding
// a client is adding a row. Pure: paths are computed from what the caller knows of the machine.

/** Whose configuration: that of one project directory, or that of the person. */
export type Scope = "project" | "user";

/** What a value of an entry can be. */
export type EntryValue = string | readonly string[];

/** The keys of a server's entry that are ours, in the order they are written. */
export type Entry = Readonly<Record<string, EntryValue>>;

/** A command to start a server with. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** What a path depends on. */
export interface ClientHost {
  readonly os: string;
  /** Home directory of the person, and any variable that a path names. */
  readonly variables: ReadonlyMap<string, string>;
  /** Directory of the project. */
  readonly project: string;
}

/** Arguments of a client's own program that adds a server. */
export interface OwnCommand {
  /** Name in `permissions/init.jsonc`. */
  readonly program: string;
  readonly scopes: readonly Scope[];
  readonly toArguments: (name: string, entry: Entry, scope: Scope) => readonly string[];
}

/** One row. */
export interface Client {
  readonly name: string;
  readonly title: string;
  /** `json` may hold comments and trailing commas, whether the client reads them or not: they are kept. */
  readonly format: "json" | "toml";
  /** Key of the object, or table, that holds one entry a server. */
  readonly container: string;
  /** Where it is written unless a person says otherwise. */
  readonly scope: Scope;
  /** Below the project directory; absent when the client has no such file. */
  readonly project?: string;
  /** By operating system. `~` is home; `${NAME:-default}` a variable. */
  readonly user: Readonly<Record<"linux" | "darwin" | "windows", string>>;
  readonly toEntry: (server: ServerCommand, scope: Scope) => Entry;
  readonly own?: OwnCommand;
  /** What a person should know, one sentence each. */
  readonly quirks: readonly string[];
}

function everywhere(path: string): Client["user"] {
  return { linux: path, darwin: path, windows: path };
}

function toPlain({ command, args }: ServerCommand): Entry {
  return { command, args };
}

function toTyped({ command, args }: ServerCommand): Entry {
  return { type: "stdio", command, args };
}

/** Every client, in the order of `--list`. */
export const CLIENTS: readonly Client[] = [
  {
    name: "vscode",
    title: "VS Code",
    format: "json",
    container: "servers",
    scope: "project",
    project: ".vscode/mcp.json",
    user: {
      linux: "${XDG_CONFIG_HOME:-~/.config}/Code/User/mcp.json",
      darwin: "~/Library/Application Support/Code/User/mcp.json",
      windows: "${APPDATA:-~/AppData/Roaming}/Code/User/mcp.json",
    },
    // A person's own file is used outside of workspaces too, where the variable means nothing.
    toEntry: (server, scope) =>
      scope === "project" ? { ...toTyped(server), cwd: "${workspaceFolder}" } : toTyped(server),
    own: {
      program: "code",
      scopes: ["user"],
      toArguments: (name, entry) => ["--add-mcp", JSON.stringify({ name, ...entry })],
    },
    quirks: ["It asks once whether you trust the server before it starts it."],
  },
  {
    name: "copilot",
    title: "GitHub Copilot CLI",
    format: "json",
    container: "mcpServers",
    scope: "user",
    project: ".mcp.json",
    user: everywhere("${COPILOT_HOME:-~/.copilot}/mcp-config.json"),
    // Claude Code reads the same project file and does not know "local".
    toEntry: ({ command, args }, scope) => ({
      type: scope === "user" ? "local" : "stdio",
      command,
      args,
      tools: ["*"],
    }),
    quirks: ["It passes a server PATH and no other variable."],
  },
  {
    name: "claude-code",
    title: "Claude Code",
    format: "json",
    container: "mcpServers",
    scope: "user",
    project: ".mcp.json",
    user: everywhere("${CLAUDE_CONFIG_DIR:-~}/.claude.json"),
    toEntry: toTyped,
    own: {
      program: "claude",
      scopes: ["user", "project"],
      toArguments: (name, entry, scope) => [
        "mcp",
        "add-json",
        "--scope",
        scope,
        name,
        JSON.stringify(entry),
      ],
    },
    quirks: [
      "It rewrites its own file while it runs: end it first, or use --via-cli.",
      "It takes a file with comments for a corrupted one.",
      "A server of a project file waits for your approval.",
    ],
  },
  {
    name: "claude-desktop",
    title: "Claude Desktop",
    format: "json",
    container: "mcpServers",
    scope: "user",
    user: {
      linux: "${XDG_CONFIG_HOME:-~/.config}/Claude/claude_desktop_config.json",
      darwin: "~/Library/Application Support/Claude/claude_desktop_config.json",
      windows: "${APPDATA:-~/AppData/Roaming}/Claude/claude_desktop_config.json",
    },
    toEntry: toPlain,
    quirks: [
      "It reads the file when it starts.",
      "Started from the desktop it may not find deno on PATH: give --deno.",
    ],
  },
  {
    name: "cursor",
    title: "Cursor",
    format: "json",
    container: "mcpServers",
    scope: "user",
    project: ".cursor/mcp.json",
    user: everywhere("~/.cursor/mcp.json"),
    toEntry: toTyped,
    quirks: ["A new server may have to be switched on in its settings."],
  },
  {
    name: "windsurf",
    title: "Windsurf",
    format: "json",
    container: "mcpServers",
    scope: "user",
    user: everywhere("~/.codeium/windsurf/mcp_config.json"),
    toEntry: toPlain,
    quirks: ["Refresh its list of servers after a change."],
  },
  {
    name: "zed",
    title: "Zed",
    format: "json",
    container: "context_servers",
    scope: "user",
    project: ".zed/settings.json",
    user: {
      linux: "${XDG_CONFIG_HOME:-~/.config}/zed/settings.json",
      darwin: "~/.config/zed/settings.json",
      windows: "${APPDATA:-~/AppData/Roaming}/Zed/settings.json",
    },
    toEntry: ({ command, args }) => ({ source: "custom", command, args }),
    quirks: ["The file holds all its settings, not only servers."],
  },
  {
    name: "codex",
    title: "Codex",
    format: "toml",
    container: "mcp_servers",
    scope: "user",
    project: ".codex/config.toml",
    user: everywhere("${CODEX_HOME:-~/.codex}/config.toml"),
    toEntry: toPlain,
    quirks: ["It reads a project file only in a project that it trusts."],
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    format: "json",
    container: "mcpServers",
    scope: "user",
    project: ".gemini/settings.json",
    user: everywhere("~/.gemini/settings.json"),
    toEntry: toPlain,
    quirks: [
      "It reads comments, but neither trailing commas nor a byte order mark.",
      "It starts no server in a folder that it does not trust.",
    ],
  },
];

/** The client of that name. */
export function findClient(name: string): Client | undefined {
  return CLIENTS.find((client) => client.name === name);
}

/** A configuration file, and the directory that it must not lead out of. */
export interface Place {
  readonly path: string;
  readonly root: string;
}

const VARIABLE = /\$\{(\w+):-([^}]*)\}/g;

/** The variable that names the home directory. */
export function homeVariable(os: string): string {
  return os === "windows" ? "USERPROFILE" : "HOME";
}

/** The variables that the path of a template depends on. */
export function listVariables(template: string, os: string): readonly string[] {
  return [homeVariable(os), ...[...template.matchAll(VARIABLE)].map(([, name = ""]) => name)];
}

/** The user template of a client on an operating system; Linux's for the systems that resemble it. */
export function userTemplate({ user }: Pick<Client, "user">, os: string): string {
  return os === "darwin" || os === "windows" ? user[os] : user.linux;
}

/** Replaces home and variables of a template; an empty variable counts as unset, as the clients have it. */
export function expandTemplate(template: string, host: ClientHost): string {
  const home = host.variables.get(homeVariable(host.os)) ?? "";
  return template
    .replaceAll(VARIABLE, (_, name, other) => host.variables.get(name) || other)
    .replace(/^~(?=\/|$)/, () => home);
}

/** Where a client keeps the configuration of a scope; `undefined` when it has none of that scope. */
export function findPlace(client: Client, scope: Scope, host: ClientHost): Place | undefined {
  if (scope === "project") {
    if (client.project === undefined) return undefined;
    return { path: `${host.project}/${client.project}`, root: host.project };
  }
  const template = userTemplate(client, host.os);
  const path = expandTemplate(template, host);
  const home = host.variables.get(homeVariable(host.os)) ?? "";
  // A variable may lead away from home; what it names is then the directory to stay in.
  const root = path.startsWith(`${home}/`) ? home : path.slice(0, path.lastIndexOf("/"));
  return { path, root };
}
