import { assertEquals } from "@std/assert";
import { checkOwnPermissions } from "../../../src/process/own_permissions.ts";

const NOTHING = {
  run: false,
  read: false,
  write: false,
  net: false,
  env: false,
  sys: false,
  ffi: false,
};
const NEEDS = [
  { flag: "--no-prompt", reason: "never asks" },
  { flag: "--allow-read=fixtures,permissions", reason: "roots" },
  { flag: "--allow-run=bwrap", reason: "walls" },
  { flag: "--allow-write=fixtures", reason: "jobs" },
  { flag: "--allow-net=127.0.0.1:80", reason: "clients" },
  { flag: "--allow-env=A", reason: "options" },
] as const;

Deno.test({
  name: "checkOwnPermissions() names the flags that are missing, and only those values",
  permissions: { ...NOTHING, read: ["fixtures"] },
  async fn() {
    const { missing, excessive } = await checkOwnPermissions(NEEDS);
    assertEquals(missing.map(({ flag }) => flag), [
      "--allow-read=permissions",
      "--allow-run=bwrap",
      "--allow-write=fixtures",
      "--allow-net=127.0.0.1:80",
      "--allow-env=A",
    ]);
    assertEquals(excessive, []);
  },
});
