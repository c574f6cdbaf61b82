// What this process may touch, asked of the runtime itself. Asking never prompts.

const NAMES = ["read", "write", "net", "env", "run", "sys", "ffi"] as const;

/** The state of each kind of permission. */
export type PermissionStates = {
  readonly [name in typeof NAMES[number]]?: "granted" | "partly granted" | "denied";
};

/** Asks the runtime for the state of every kind of permission. */
export async function queryPermissions(): Promise<PermissionStates> {
  const states: Record<string, "granted" | "partly granted" | "denied"> = {};
  for (const name of NAMES) {
    const status = await Deno.permissions.query({ name });
    if (status.state !== "granted") states[name] = "denied";
    else states[name] = status.partial ? "partly granted" : "granted";
  }
  return states;
}
