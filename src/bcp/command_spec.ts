/** The commands and options of `bcp` as data: the parser, the usage lines and the help all read this. */

/** The five commands. */
export type CommandName = "inspect" | "validate" | "encode" | "decode" | "stats";

/** One option of a command. */
export interface OptionSpec {
  readonly long: string;
  readonly short?: string;
  /** What its value must be; an option without one is a switch. */
  readonly value?: "text" | "uint32" | "uint64";
  readonly isRequired?: boolean;
  readonly help: string;
}

/** One command: a file and options. */
export interface CommandSpec {
  readonly name: CommandName;
  readonly about: string;
  readonly file: { readonly placeholder: string; readonly help: string };
  readonly options: readonly OptionSpec[];
}

/** Accepted everywhere and without effect: there is no colour and nothing more to say. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { long: "verbose", short: "v", help: "Accepted for compatibility; changes nothing" },
  { long: "no-color", help: "Accepted for compatibility; output has no color" },
];

const STORE: OptionSpec = {
  long: "store",
  value: "text",
  help: "Content store that holds the bodies of references",
};
const PAYLOAD_FILE = { placeholder: "FILE", help: "Path of the .bcp file" } as const;

/** Every command, in the order help lists them. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "inspect",
    about: "List the blocks of a payload",
    file: PAYLOAD_FILE,
    options: [
      { long: "show-body", help: "Show the first 80 characters of each content" },
      { long: "show-hex", help: "Show each content as a hex dump" },
      { long: "block", value: "uint64", help: "Only the block at this zero-based index" },
      STORE,
    ],
  },
  {
    name: "validate",
    about: "Check that a payload is well-formed",
    file: PAYLOAD_FILE,
    options: [STORE],
  },
  {
    name: "encode",
    about: "Write a payload from a JSON manifest",
    file: { placeholder: "INPUT", help: "Path of the JSON manifest" },
    options: [
      {
        long: "output",
        short: "o",
        value: "text",
        isRequired: true,
        help: "Path of the .bcp file to write",
      },
      { long: "compress-blocks", help: "Compress each block with zstd where that helps" },
      { long: "compress-payload", help: "Compress all blocks together with zstd" },
      { long: "dedup", help: "Replace repeated blocks by BLAKE3 references" },
      { ...STORE, help: "Content store to keep the bodies of references in" },
    ],
  },
  {
    name: "decode",
    about: "Render a payload as text for a model",
    file: PAYLOAD_FILE,
    options: [
      { long: "mode", value: "text", help: "xml, markdown or minimal [default: xml]" },
      { long: "budget", value: "uint32", help: "Tokens to stay near" },
      { long: "verbosity", value: "text", help: "full, summary or adaptive [default: adaptive]" },
      { long: "include", value: "text", help: "Comma-separated block types to render" },
      { long: "output", short: "o", value: "text", help: "Write the text to this file" },
      STORE,
    ],
  },
  {
    name: "stats",
    about: "Show sizes and token estimates",
    file: PAYLOAD_FILE,
    options: [STORE],
  },
];

/** The command of that name, or undefined. */
export function findCommand(name: string): CommandSpec | undefined {
  return COMMANDS.find((command) => command.name === name);
}

/** `--block <BLOCK>`, as error texts name an option. */
export function optionLabel(option: OptionSpec): string {
  const placeholder = option.value === undefined ? "" : ` <${option.long.toUpperCase()}>`;
  return `--${option.long}${placeholder}`;
}

// Usage lines and help texts of `bcp`, in the layout of the reference's argument parser.

/** What `--version` prints: the reference version whose behaviour this is. */
export const VERSION_TEXT = "bcp 0.1.0\n";

const HELP: OptionSpec = { long: "help", short: "h", help: "Print help" };
const VERSION: OptionSpec = { long: "version", short: "V", help: "Print version" };

/** The usage line of a command, or of the program. */
export function toUsage(command?: CommandSpec): string {
  if (command === undefined) return "Usage: bcp [OPTIONS] <COMMAND>";
  const required = command.options
    .filter((option) => option.isRequired === true)
    .map((option) => ` ${optionLabel(option)}`);
  return `Usage: bcp ${command.name} [OPTIONS]${required.join("")} <${command.file.placeholder}>`;
}

/** The help text of a command, or of the program. */
export function toHelp(command?: CommandSpec): string {
  if (command === undefined) {
    const rows = [
      ...COMMANDS.map(({ name, about }) => [name, about] as const),
      ["help", "Print this message or the help of a command"] as const,
    ];
    return [
      "Bit Context Protocol CLI",
      "",
      toUsage(),
      "",
      "Commands:",
      ...alignRows(rows),
      "",
      "Options:",
      ...alignRows([...GLOBAL_OPTIONS, HELP, VERSION].map(optionRow)),
      "",
    ].join("\n");
  }
  const { about, file, options } = command;
  return [
    about,
    "",
    toUsage(command),
    "",
    "Arguments:",
    ...alignRows([[`<${file.placeholder}>`, file.help]]),
    "",
    "Options:",
    ...alignRows([...options, ...GLOBAL_OPTIONS, HELP].map(optionRow)),
    "",
  ].join("\n");
}

function optionRow(option: OptionSpec): readonly [string, string] {
  const short = option.short === undefined ? "    " : `-${option.short}, `;
  return [short + optionLabel(option), option.help];
}

function alignRows(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
