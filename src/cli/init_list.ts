// `mod.ts init --list`: the table of clients as this machine sees it.

import {
  type Client,
  type ClientHost,
  CLIENTS,
  findPlace,
  listVariables,
  type Place,
  type Scope,
  userTemplate,
} from "../clients/client.ts";
import { readEntry } from "../clients/config_edit.ts";
import { openConfig, PRIVATE_MODE } from "./config_file.ts";
import { findVariable } from "./command.ts";
import type { InitOptions } from "./init_options.ts";
import { toLabel } from "./init_target.ts";

/** One line a client and scope. What may not be read is not asked for: the line then says so. */
export function listClients(options: InitOptions, host: ClientHost): string {
  const rows = CLIENTS.flatMap((client) =>
    (["project", "user"] as const).flatMap((scope) => {
      const row = describe(client, scope, options, host);
      return row === undefined ? [] : [[client.name, scope, ...row]];
    })
  );
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(([name = "", scope = "", state = "", path = ""]) =>
    `${name.padEnd(widths[0] ?? 0)}  ${scope.padEnd(widths[1] ?? 0)}  ${
      state.padEnd(11)
    }  ${path}\n`
  ).join("");
}

function describe(
  client: Client,
  scope: Scope,
  { mode, name }: InitOptions,
  host: ClientHost,
): readonly [string, string] | undefined {
  const template = userTemplate(client, host.os);
  const variables = new Map(
    listVariables(template, host.os)
      .map((variable) => [variable, findVariable(variable)] as const)
      .filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  if (scope === "user" && variables.size === 0) return ["?", template];
  const known = { ...host, variables };
  const place = findPlace(client, scope, known);
  if (place === undefined) return undefined;
  return [
    findState(client, place, mode === undefined ? undefined : name),
    toLabel(place.path, known),
  ];
}

function findState(client: Client, place: Place, name: string | undefined): string {
  const { state } = Deno.permissions.querySync({ name: "read", path: place.path });
  if (state !== "granted") return "not looked";
  try {
    const opened = openConfig(place, PRIVATE_MODE);
    if (opened.kind === "refused") return "refused";
    if (opened.file.bytes === undefined) return "no file";
    if (name === undefined) return "file";
    return readEntry(opened.file.text, { ...client, name }) === undefined ? "no entry" : "entry";
  } catch {
    return "unreadable";
  }
}
