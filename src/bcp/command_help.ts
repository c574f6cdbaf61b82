/** Usage lines and help texts of `bcp`, in the layout of the reference's argument parser. */
import {
  COMMANDS,
  type CommandSpec,
  GLOBAL_OPTIONS,
  optionLabel,
  type OptionSpec,
} from "./command_spec.ts";

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
