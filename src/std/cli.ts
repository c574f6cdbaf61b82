// Stands in for `parseArgs` of `@std/cli`, so that everything installs from an npm registry alone.
// `import_map.jsr.json` puts the original in its place; both read the same command lines the same
// way. `node:util` has a stricter grammar and costs a start about 7 ms, so this is own code.

/** What {@linkcode parseArgs} returns: the flags by name, and in `_` all that is no flag. */
export type Args<
  TArgs extends Record<string, unknown> = Record<string, unknown>,
  TDoubleDash extends boolean | undefined = undefined,
> =
  & TArgs
  & { _: Array<string | number> }
  & (true extends TDoubleDash ? { "--": string[] } : unknown);

/** Options of {@linkcode parseArgs}. */
export interface ParseOptions<
  TBooleans extends string = string,
  TStrings extends string = string,
  TCollectable extends string = string,
  TNegatable extends string = string,
  TDefault extends Record<string, unknown> = Record<string, unknown>,
  TDoubleDash extends boolean | undefined = boolean | undefined,
> {
  /** Puts what follows `--` into the result's `--` instead of `_`. */
  "--"?: TDoubleDash;
  /** Other names of a flag; the result has the value under every name. */
  alias?: Record<string, string | readonly string[]>;
  /** Flags that take no value and are false unless given; `true` means every long flag. */
  boolean?: boolean | TBooleans | readonly TBooleans[];
  /** Values of flags that were not given. */
  default?: TDefault;
  /** Puts all that follows the first non-flag into `_` unread. */
  stopEarly?: boolean;
  /** Flags whose value stays a string when it looks like a number. */
  string?: TStrings | readonly TStrings[];
  /** Flags that may be repeated; all values come back as an array. */
  collect?: TCollectable | readonly TCollectable[];
  /** Flags that `--no-NAME` sets to false. */
  negatable?: TNegatable | readonly TNegatable[];
  /** Called for what no other option names; `false` leaves it out of the result. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

type Named<B extends string, S extends string, C extends string, N extends string> =
  & { [K in Exclude<B, C>]: boolean }
  & { [K in Extract<B, C>]: boolean[] }
  & { [K in Exclude<S, C>]?: K extends N ? string | false : string }
  & { [K in Extract<S, C>]: string[] }
  & { [K in Exclude<C, B | S>]: unknown[] };

type WithDefaults<T, D> =
  & Omit<T, keyof D>
  & { [K in keyof D]: K extends keyof T ? D[K] | NonNullable<T[K]> : unknown };

type Values<
  B extends string,
  S extends string,
  C extends string,
  N extends string,
  D,
> = Record<string, unknown> & WithDefaults<Named<B, S, C, N>, D>;

type Value = string | number | boolean;
type Tree = Record<string, unknown>;

/**
 * Reads a command line as flags and the rest. `--name value`, `--name=value`, `-n value` and `-abc`
 * are flags; a value that looks like a number becomes one unless the flag is a `string`.
 */
export function parseArgs<
  B extends string = never,
  S extends string = never,
  C extends string = never,
  N extends string = never,
  D extends Record<string, unknown> = Record<never, never>,
  DD extends boolean | undefined = undefined,
>(
  args: string[],
  options?: ParseOptions<B, S, C, N, D, DD>,
): Args<Values<B, S, C, N, D>, DD> {
  const reading = new Reading(options ?? {});
  const end = args.indexOf("--");
  reading.read(end === -1 ? args : args.slice(0, end));
  const parsed = reading.finish(end === -1 ? [] : args.slice(end + 1));
  // The names and types of the flags are the caller's promise, as in the original.
  return parsed as Args<Values<B, S, C, N, D>, DD>;
}

class Reading {
  readonly #options: ParseOptions;
  readonly #aliases = new Map<string, readonly string[]>();
  readonly #booleans: ReadonlySet<string>;
  readonly #strings: ReadonlySet<string>;
  readonly #collected: ReadonlySet<string>;
  readonly #negatables: ReadonlySet<string>;
  readonly #flags: Tree = {};
  readonly #rest: Array<string | number> = [];

  constructor(options: ParseOptions) {
    this.#options = options;
    for (const [name, others] of Object.entries(options.alias ?? {})) {
      const names = [name, ...toList(others)];
      for (const each of names) this.#aliases.set(each, names.filter((one) => one !== each));
    }
    this.#booleans = this.#withAliases(options.boolean);
    this.#strings = this.#withAliases(options.string);
    this.#collected = this.#withAliases(options.collect);
    this.#negatables = this.#withAliases(options.negatable);
  }

  read(args: readonly string[]): void {
    for (let index = 0; index < args.length; index++) {
      const arg = args[index]!;
      if (arg.startsWith("-") && arg !== "-") {
        const next = args[index + 1] || undefined;
        const usedNext = arg.startsWith("--")
          ? this.#readLong(arg, next)
          : this.#readShort(arg, next);
        if (usedNext) index++;
        continue;
      }
      if (this.#options.unknown?.(arg) !== false) {
        this.#rest.push(this.#strings.has("_") ? arg : toNumber(arg));
      }
      if (this.#options.stopEarly) {
        this.#rest.push(...args.slice(index + 1));
        return;
      }
    }
  }

  finish(afterDoubleDash: string[]): Tree {
    for (const [name, value] of Object.entries(this.#options.default ?? {})) {
      if (hasPath(this.#flags, name)) continue;
      for (const each of this.#namesOf(name)) setPath(this.#flags, each, value);
    }
    for (const name of this.#booleans) {
      if (!hasPath(this.#flags, name)) {
        setPath(this.#flags, name, this.#collected.has(name) ? [] : false);
      }
    }
    for (const name of this.#strings) {
      if (this.#collected.has(name) && !hasPath(this.#flags, name)) setPath(this.#flags, name, []);
    }
    if (this.#options["--"]) return { ...this.#flags, _: this.#rest, "--": afterDoubleDash };
    return { ...this.#flags, _: [...this.#rest, ...afterDoubleDash] };
  }

  /** Reads `--name`, `--name=value`, `--no-name`; returns whether `next` was its value. */
  #readLong(arg: string, next: string | undefined): boolean {
    const isNegated = arg.startsWith("--no-") && arg.length > "--no-".length;
    const body = arg.slice(isNegated ? "--no-".length : "--".length);
    const equals = body.indexOf("=", 1);
    // A "=" with nothing after it is part of the name, as in the original.
    if (equals !== -1 && equals < body.length - 1) {
      const name = body.slice(0, equals);
      const value = body.slice(equals + 1);
      this.#set(name, this.#booleans.has(name) ? value !== "false" : value, arg);
      return false;
    }
    if (isNegated && this.#negatables.has(body)) {
      this.#set(body, false, arg, false);
      return false;
    }
    const name = isNegated ? `no-${body}` : body;
    const takesValue = this.#options.boolean !== true && !next?.startsWith("-");
    return this.#setWithNext(name, arg, next, takesValue);
  }

  /** Reads `-a`, `-abc`, `-n5`, `-n=5`; returns whether `next` was the last letter's value. */
  #readShort(arg: string, next: string | undefined): boolean {
    for (let index = 1; index < arg.length - 1; index++) {
      const letter = arg[index]!;
      const tail = arg.slice(index + 1);
      if (tail === "-") {
        this.#set(letter, tail, arg);
        continue;
      }
      const value = findAttachedValue(letter, tail);
      if (value !== undefined) {
        this.#set(letter, value, arg);
        return false;
      }
      this.#set(letter, this.#strings.has(letter) ? "" : true, arg);
    }
    const last = arg.slice(-1);
    if (last === "-") return false;
    return this.#setWithNext(last, arg, next, !/^--?[^-]/.test(next ?? ""));
  }

  #setWithNext(name: string, arg: string, next: string | undefined, takesValue: boolean): boolean {
    const isBoolean = this.#namesOf(name).some((each) => this.#booleans.has(each));
    if (next !== undefined && takesValue && !isBoolean) {
      this.#set(name, next, arg);
      return true;
    }
    if (next === "true" || next === "false") {
      this.#set(name, next === "true", arg);
      return true;
    }
    this.#set(name, this.#strings.has(name) ? "" : true, arg);
    return false;
  }

  #set(name: string, value: Value, arg: string, collect = true): void {
    const isKnown = this.#booleans.has(name) || this.#strings.has(name) ||
      this.#aliases.has(name) ||
      (this.#options.boolean === true && /^--[^=]+$/.test(arg));
    if (!isKnown && this.#options.unknown?.(arg, name, value) === false) return;
    const typed = typeof value === "string" && !this.#strings.has(name) ? toNumber(value) : value;
    const isCollected = collect && this.#collected.has(name);
    for (const each of this.#namesOf(name)) {
      if (isCollected) addPath(this.#flags, each, typed);
      else setPath(this.#flags, each, typed);
    }
  }

  #namesOf(name: string): readonly string[] {
    return [name, ...(this.#aliases.get(name) ?? [])];
  }

  #withAliases(names: boolean | string | readonly string[] | undefined): ReadonlySet<string> {
    if (names === undefined || typeof names === "boolean") return new Set();
    return new Set(
      toList(names).filter((name) => name !== "").flatMap((name) => this.#namesOf(name)),
    );
  }
}

function toList(names: string | readonly string[]): readonly string[] {
  return typeof names === "string" ? [names] : names;
}

function toNumber(text: string): string | number {
  return /\S/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The value in `tail` that belongs to a short flag: `-n=5`, `-n5`, `-n./path`. */
function findAttachedValue(letter: string, tail: string): string | undefined {
  if (/[A-Za-z]/.test(letter)) {
    const assigned = /=(.+)/.exec(tail)?.[1];
    if (assigned !== undefined) return assigned;
    if (/\d(\.\d*)?(e-?\d+)?$/.test(tail)) return tail;
  }
  return tail.length > 1 && /^\W/.test(tail) ? tail : undefined;
}

/** The object that holds the last part of a dotted name, and that part; own properties only. */
function findHolder(tree: Tree, name: string): { holder: Tree; key: string } {
  const keys = name.split(".");
  const key = keys.pop()!;
  let holder = tree;
  for (const each of keys) {
    const child = Object.hasOwn(holder, each) ? holder[each] : undefined;
    const next = isTree(child) ? child : {};
    holder[each] = next;
    holder = next;
  }
  return { holder, key };
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}

function hasPath(tree: Tree, name: string): boolean {
  let value: unknown = tree;
  for (const key of name.split(".")) {
    if (!isTree(value) || !Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return true;
}

function setPath(tree: Tree, name: string, value: unknown): void {
  const { holder, key } = findHolder(tree, name);
  holder[key] = value;
}

function addPath(tree: Tree, name: string, value: unknown): void {
  const { holder, key } = findHolder(tree, name);
  const before = Object.hasOwn(holder, key) ? holder[key] : undefined;
  if (Array.isArray(before)) before.push(value);
  else holder[key] = before ? [before, value] : [value];
}
