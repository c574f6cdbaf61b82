// One entrance to the formats: text and entry in, text or a refusal out. The byte order mark stays where it was.

import type { Client, Entry } from "./client.ts";
import { readJsonEntry, removeJsonEntry, setJsonEntry } from "./json_edit.ts";
import type { ConfigEdit, EntryPlace } from "./text_edit.ts";
import { readTomlEntry, removeTomlEntry, setTomlEntry } from "./toml_edit.ts";

/** Which entry of which kind of file. */
export type ConfigPlace = EntryPlace & Pick<Client, "format">;

const MARK = "\ufeff";

/** Puts our entry in. An absent file is an empty text. */
export function setEntry(text: string, place: ConfigPlace, entry: Entry): ConfigEdit {
  return pastMark(
    text,
    (body) =>
      place.format === "toml" ? setTomlEntry(body, place, entry) : setJsonEntry(body, place, entry),
  );
}

/** Takes our entry out. */
export function removeEntry(text: string, place: ConfigPlace): ConfigEdit {
  return pastMark(
    text,
    (body) => place.format === "toml" ? removeTomlEntry(body, place) : removeJsonEntry(body, place),
  );
}

/** Our entry as it stands in a text; `undefined` when it does not. */
export function readEntry(text: string, place: ConfigPlace): unknown {
  const body = text.startsWith(MARK) ? text.slice(1) : text;
  return place.format === "toml" ? readTomlEntry(body, place) : readJsonEntry(body, place);
}

function pastMark(text: string, edit: (body: string) => ConfigEdit): ConfigEdit {
  if (!text.startsWith(MARK)) return edit(text);
  const result = edit(text.slice(1));
  return result.kind === "changed" ? { ...result, text: MARK + result.text } : result;
}
