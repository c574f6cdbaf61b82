// Reads the `arguments` member of a program's rules.

import type { ArgumentGrammar, ArgumentType } from "./argument_grammar.ts";
import { Fields, toPointer } from "./fields.ts";
import { ManifestSyntaxError } from "./manifest_syntax_error.ts";

const WORD = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;
const OPTION = /^--?[A-Za-z0-9][A-Za-z0-9-]{0,63}$/;
const MAX_TEXT_BYTES = 128 * 1024 - 1;
const MAX_POSITIONALS = 64;

/**
 * Reads the grammar, or undefined when the program has none.
 *
 * @throws {ManifestSyntaxError} for anything it does not understand.
 */
export function parseArgumentGrammar(program: Fields): ArgumentGrammar | undefined {
  const value = program.find("arguments");
  if (value === undefined) return undefined;
  const fields = new Fields(value, program.at("arguments"));
  const positionals = parseTypes(fields, "positionals");
  const rest = fields.find("rest");
  const grammar: ArgumentGrammar = {
    commands: fields.texts("commands", (word) => {
      return WORD.test(word) ? undefined : `Word ${JSON.stringify(word)} is not a plain subcommand`;
    }),
    options: parseOptions(fields.section("options")),
    positionals,
    rest: rest === undefined ? undefined : parseType(rest, fields.at("rest")),
    required: fields.integer("required", [0, positionals.length], 0),
  };
  fields.rejectUnknown();
  return Object.freeze(grammar);
}

function parseOptions(fields: Fields): ReadonlyMap<string, ArgumentType | undefined> {
  const options = new Map<string, ArgumentType | undefined>();
  for (const name of fields.names()) {
    if (!OPTION.test(name)) {
      throw new ManifestSyntaxError(fields.at(name), 'Option must look like "-x" or "--name"');
    }
    const value = fields.find(name);
    options.set(name, value === null ? undefined : parseType(value, fields.at(name)));
  }
  return options;
}

function parseTypes(fields: Fields, name: string): readonly ArgumentType[] {
  const value = fields.find(name);
  if (value === undefined) return Object.freeze([]);
  if (!Array.isArray(value) || value.length > MAX_POSITIONALS) {
    throw new ManifestSyntaxError(fields.at(name), `Expected a list of at most ${MAX_POSITIONALS}`);
  }
  return Object.freeze(value.map((entry, index) => {
    return parseType(entry, toPointer(fields.at(name), String(index)));
  }));
}

function parseType(value: unknown, pointer: string): ArgumentType {
  const fields = new Fields(value, pointer);
  const type = readType(fields);
  fields.rejectUnknown();
  return Object.freeze(type);
}

function readType(fields: Fields): ArgumentType {
  const kind = fields.text("kind");
  switch (kind) {
    case "text":
      return {
        kind,
        maxBytes: fields.integer("maxBytes", [0, MAX_TEXT_BYTES], 4096),
        multiline: fields.flag("multiline"),
      };
    case "integer": {
      const range = [-1e15, 1e15] as const;
      return {
        kind,
        min: fields.integer("min", range, 0),
        max: fields.integer("max", range, 1e15),
      };
    }
    case "choice": {
      const values = fields.texts("values", (word) => {
        return WORD.test(word) ? undefined : `Value ${JSON.stringify(word)} is not a plain word`;
      });
      if (values.length === 0) {
        throw new ManifestSyntaxError(fields.at("values"), "Expected at least one value");
      }
      return { kind, values };
    }
    case "path":
      return { kind };
    default:
      throw new ManifestSyntaxError(
        fields.at("kind"),
        'Expected one of "text", "integer", "choice", "path"',
      );
  }
}
