// Path rules of a manifest: which spellings are accepted, what is too broad, and whether one path lies inside
// another. Works on text only; symbolic links are the business of the process layer.

/** Values for the variables a path rule may begin with. */
export interface PathVariables {
  readonly roots: readonly string[];
  readonly cwd: string;
  readonly tmp: string;
}

/** Directories that hold other people's files or the system's; a grant of one of them is refused. */
const BROAD_PATHS: ReadonlySet<string> = new Set([
  "/",
  "/Library",
  "/System",
  "/Users",
  "/Volumes",
  "/dev",
  "/etc",
  "/home",
  "/media",
  "/mnt",
  "/opt",
  "/private",
  "/private/tmp",
  "/private/var",
  "/proc",
  "/root",
  "/run",
  "/srv",
  "/sys",
  "/tmp",
  "/usr",
  "/var",
]);

const HOME_PATH = /^\/(?:home|Users)\/[^/]+$/;
const VARIABLE = /^\$\{(roots|cwd|tmp)\}(?=\/|$)/;

/** Names the reason a path rule is refused, with the fix; undefined when the rule is fine. */
export function findPathRuleProblem(rule: string): string | undefined {
  if (rule === "") return "Path is empty; name a directory, or leave the entry out";
  if (hasControlCharacter(rule)) return "Path holds a control character; remove it";
  if (rule.includes("*") || rule.includes("?")) {
    return `Path ${JSON.stringify(rule)} holds a wildcard; name the directory itself`;
  }
  if (rule.startsWith("~")) {
    return `Path ${
      JSON.stringify(rule)
    } begins with "~"; write the absolute path of a directory below home`;
  }
  if (rule.includes("\\") || rule.includes(",")) {
    return `Path ${JSON.stringify(rule)} holds a backslash or a comma; rename the directory`;
  }
  const variable = VARIABLE.exec(rule);
  if (variable === null && !rule.startsWith("/")) {
    return `Path ${
      JSON.stringify(rule)
    } is relative; begin it with "/", "\${roots}", "\${cwd}" or "\${tmp}"`;
  }
  const rest = variable === null ? rule : rule.slice(variable[0].length);
  if (rest.includes("${")) return `Path ${JSON.stringify(rule)} holds an unknown variable`;
  const segments = rest.split("/").slice(1);
  for (const segment of segments) {
    if (rule === "/") continue;
    if (segment === "" || segment === "." || segment === "..") {
      return `Path ${
        JSON.stringify(rule)
      } is not in normal form; remove "//", "." and ".." segments`;
    }
  }
  if (variable === null && isBroadPath(rule)) return broadPathProblem(rule);
  return undefined;
}

/** Tells whether a normal absolute path is a grant of the whole machine, of the system or of a home directory. */
export function isBroadPath(path: string): boolean {
  return BROAD_PATHS.has(path) || HOME_PATH.test(path);
}

/** Words the refusal of a path that is too broad. */
export function broadPathProblem(path: string): string {
  return `Path ${JSON.stringify(path)} is too broad; name the directory below it that is needed`;
}

/** Replaces the variable of an accepted rule; `${roots}` gives one path for each root. */
export function expandPathRule(rule: string, variables: PathVariables): readonly string[] {
  const variable = VARIABLE.exec(rule);
  if (variable === null) return [rule];
  const rest = rule.slice(variable[0].length);
  const heads = variable[1] === "roots"
    ? variables.roots
    : [variable[1] === "cwd" ? variables.cwd : variables.tmp];
  return heads.map((head) => head + rest);
}

/** Tells whether `path` is `directory` or lies below it. Both must be absolute and in normal form. */
export function isInside(path: string, directory: string): boolean {
  if (path === directory || directory === "/") return true;
  return path.startsWith(directory + "/");
}

/** Brings an absolute path into normal form: no empty, `.` or `..` segment, no trailing slash. */
export function normalizePath(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return "/" + kept.join("/");
}

/** Tells whether a text holds a control character, NUL and newline among them. */
export function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x20 || unit === 0x7f) return true;
  }
  return false;
}
