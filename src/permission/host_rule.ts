// Network and environment rules of a manifest. Hosts are exact names or canonical addresses: every other spelling
// of an address (decimal, octal, mapped, trailing dot) is refused instead of being understood.

const HOST_NAME =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const IPV4 = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/;
const NUMERIC_LABEL = /^(?:\d+|0x[0-9a-f]*)$/;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Variables that make a program load code, find other programs, or change what Deno allows. */
const LOADER_NAMES: ReadonlySet<string> = new Set([
  "BASH_ENV",
  "CDPATH",
  "ENV",
  "GCONV_PATH",
  "GIT_ASKPASS",
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_PARAMETERS",
  "GIT_EDITOR",
  "GIT_EXEC_PATH",
  "GIT_EXTERNAL_DIFF",
  "GIT_PAGER",
  "GIT_PROXY_COMMAND",
  "GIT_SSH",
  "GIT_SSH_COMMAND",
  "IFS",
  "JAVA_TOOL_OPTIONS",
  "NODE_OPTIONS",
  "NODE_PATH",
  "PATH",
  "PERL5LIB",
  "PERL5OPT",
  "PROMPT_COMMAND",
  "PS4",
  "PYTHONHOME",
  "PYTHONPATH",
  "PYTHONSTARTUP",
  "RUBYLIB",
  "RUBYOPT",
  "SHELLOPTS",
  "_JAVA_OPTIONS",
]);
const LOADER_PREFIXES = ["LD_", "DYLD_", "DENO_", "BASH_FUNC_", "GLIBC_", "MALLOC_"];

/** Names the reason a `host` or `host:port` rule is refused, with the fix; undefined when it is fine. */
export function findHostRuleProblem(rule: string): string | undefined {
  const quoted = JSON.stringify(rule);
  if (rule.includes("*")) return `Host ${quoted} holds a wildcard; list each host by name`;
  const { host, port } = splitHostRule(rule);
  if (port !== undefined && !isPort(port)) {
    return `Host ${quoted} has no valid port; write 1 to 65535`;
  }
  if (host.startsWith("[")) return findIpv6Problem(host, quoted);
  if (IPV4.test(host)) {
    const bytes = host.split(".").map(Number);
    if (bytes.some((byte) => byte > 255)) return `Host ${quoted} is not an address`;
    if (bytes[0] === 169 && bytes[1] === 254) return linkLocalProblem(quoted);
    if (bytes[0] === 0) return `Host ${quoted} stands for every address; name one`;
    return undefined;
  }
  if (!HOST_NAME.test(host)) {
    return `Host ${quoted} is not a lower-case ASCII host name; write it without scheme, path and final dot`;
  }
  if (NUMERIC_LABEL.test(host.slice(host.lastIndexOf(".") + 1))) {
    return `Host ${quoted} is an address in disguise; write it as four decimal numbers`;
  }
  return undefined;
}

/** Tells whether a host rule covers another: the same host, and every port or the same port. */
export function coversHost(rule: string, other: string): boolean {
  const left = splitHostRule(rule);
  const right = splitHostRule(other);
  return left.host === right.host && (left.port === undefined || left.port === right.port);
}

/** Names the reason an environment rule is refused, with the fix; undefined when it is fine. */
export function findEnvRuleProblem(name: string): string | undefined {
  const quoted = JSON.stringify(name);
  if (name.includes("*")) return `Variable ${quoted} holds a wildcard; list each name`;
  if (!ENV_NAME.test(name)) return `Variable ${quoted} is not a name of letters, digits and "_"`;
  if (isLoaderVariable(name)) {
    return `Variable ${quoted} can make a program load foreign code; leave it out`;
  }
  return undefined;
}

/** Tells whether a variable decides which code a program loads. Such a variable never reaches a child. */
export function isLoaderVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return LOADER_NAMES.has(upper) || LOADER_PREFIXES.some((prefix) => upper.startsWith(prefix));
}

function splitHostRule(rule: string): { host: string; port: string | undefined } {
  const colon = rule.lastIndexOf(":");
  if (colon === -1 || colon < rule.lastIndexOf("]")) return { host: rule, port: undefined };
  return { host: rule.slice(0, colon), port: rule.slice(colon + 1) };
}

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

function findIpv6Problem(host: string, quoted: string): string | undefined {
  if (!host.endsWith("]") || !URL.canParse(`http://${host}/`)) {
    return `Host ${quoted} is not an address`;
  }
  const canonical = new URL(`http://${host}/`).hostname;
  if (canonical !== host) return `Host ${quoted} is not in canonical form; write "${canonical}"`;
  if (host.startsWith("[::ffff:")) return `Host ${quoted} maps an IPv4 address; write that address`;
  if (host === "[::]") return `Host ${quoted} stands for every address; name one`;
  if (/^\[fe[89ab]/.test(host)) return linkLocalProblem(quoted);
  return undefined;
}

function linkLocalProblem(quoted: string): string {
  return `Host ${quoted} is link-local, where cloud machines keep credentials; leave it out`;
}
