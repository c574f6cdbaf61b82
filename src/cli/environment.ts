// Environment variables, read only where that is permitted: a server must never make the runtime ask.

/** The value of a variable; `undefined` when it is not set or may not be read. */
export function findVariable(variable: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable });
  return state === "granted" ? Deno.env.get(variable) : undefined;
}
