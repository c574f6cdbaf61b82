// The table of clients: where each keeps its configuration, written out, and in which shape.

import { assertEquals } from "@std/assert";
import { type ClientHost, CLIENTS, findPlace, type Scope } from "../../../src/clients/client.ts";

const HOMES = { linux: "/home/me", darwin: "/Users/me", windows: "C:/Users/me" } as const;

function hostOf(os: keyof typeof HOMES, more: Readonly<Record<string, string>> = {}): ClientHost {
  const home = os === "windows" ? "USERPROFILE" : "HOME";
  return {
    os,
    project: "/work/repo",
    variables: new Map(Object.entries({ [home]: HOMES[os], ...more })),
  };
}

function listPaths(scope: Scope, host: ClientHost): Record<string, string | undefined> {
  return Object.fromEntries(
    CLIENTS.map((client) => [client.name, findPlace(client, scope, host)?.path]),
  );
}

Deno.test("findPlace() knows every file of a project", () => {
  assertEquals<unknown>(listPaths("project", hostOf("linux")), {
    "vscode": "/work/repo/.vscode/mcp.json",
    "copilot": "/work/repo/.mcp.json",
    "claude-code": "/work/repo/.mcp.json",
    "claude-desktop": undefined,
    "cursor": "/work/repo/.cursor/mcp.json",
    "windsurf": undefined,
    "zed": "/work/repo/.zed/settings.json",
    "codex": "/work/repo/.codex/config.toml",
    "gemini": "/work/repo/.gemini/settings.json",
  });
});

Deno.test("findPlace() knows every file of a person, by operating system", () => {
  assertEquals<unknown>(listPaths("user", hostOf("linux")), {
    "vscode": "/home/me/.config/Code/User/mcp.json",
    "copilot": "/home/me/.copilot/mcp-config.json",
    "claude-code": "/home/me/.claude.json",
    "claude-desktop": "/home/me/.config/Claude/claude_desktop_config.json",
    "cursor": "/home/me/.cursor/mcp.json",
    "windsurf": "/home/me/.codeium/windsurf/mcp_config.json",
    "zed": "/home/me/.config/zed/settings.json",
    "codex": "/home/me/.codex/config.toml",
    "gemini": "/home/me/.gemini/settings.json",
  });
  assertEquals<unknown>(listPaths("user", hostOf("darwin")), {
    "vscode": "/Users/me/Library/Application Support/Code/User/mcp.json",
    "copilot": "/Users/me/.copilot/mcp-config.json",
    "claude-code": "/Users/me/.claude.json",
    "claude-desktop": "/Users/me/Library/Application Support/Claude/claude_desktop_config.json",
    "cursor": "/Users/me/.cursor/mcp.json",
    "windsurf": "/Users/me/.codeium/windsurf/mcp_config.json",
    "zed": "/Users/me/.config/zed/settings.json",
    "codex": "/Users/me/.codex/config.toml",
    "gemini": "/Users/me/.gemini/settings.json",
  });
  const windows = listPaths("user", hostOf("windows"));
  assertEquals(windows["vscode"], "C:/Users/me/AppData/Roaming/Code/User/mcp.json");
  assertEquals(windows["zed"], "C:/Users/me/AppData/Roaming/Zed/settings.json");
  assertEquals(windows["codex"], "C:/Users/me/.codex/config.toml");
});

Deno.test("findPlace() follows the variables that clients follow, and stays in what they name", () => {
  const host = hostOf("linux", {
    CODEX_HOME: "/srv/codex",
    COPILOT_HOME: "/home/me/work/copilot",
    XDG_CONFIG_HOME: "",
  });
  const places = Object.fromEntries(
    CLIENTS.map((client) => [client.name, findPlace(client, "user", host)]),
  );
  assertEquals(places["codex"], { path: "/srv/codex/config.toml", root: "/srv/codex" });
  assertEquals(places["copilot"], {
    path: "/home/me/work/copilot/mcp-config.json",
    root: "/home/me",
  });
  assertEquals(places["zed"]?.path, "/home/me/.config/zed/settings.json");
});

Deno.test("toEntry() has each client's shape", () => {
  const server = { command: "deno", args: ["run", "x.ts"] };
  const typed = { type: "stdio", ...server };
  const expected: Readonly<Record<string, readonly [unknown, unknown]>> = {
    "vscode": [{ ...typed, cwd: "${workspaceFolder}" }, typed],
    "copilot": [{ ...typed, tools: ["*"] }, { ...server, type: "local", tools: ["*"] }],
    "claude-code": [typed, typed],
    "claude-desktop": [server, server],
    "cursor": [typed, typed],
    "windsurf": [server, server],
    "zed": [{ source: "custom", ...server }, { source: "custom", ...server }],
    "codex": [server, server],
    "gemini": [server, server],
  };
  for (const { name, toEntry } of CLIENTS) {
    const pair: unknown = [toEntry(server, "project"), toEntry(server, "user")];
    assertEquals(pair, expected[name], name);
  }
});
