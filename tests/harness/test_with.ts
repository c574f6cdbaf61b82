// Tests that need a program which comes neither with Node nor with npm. Where it is missing they are skipped, and that
// is said; CI installs it and does not pass while a test is skipped for want of it. A program that is there but does
// not work fails them: a wall that is off must be seen.

/** The programs, and Debian's packages of them. */
const PACKAGES = { bwrap: "bubblewrap", ps: "procps" } as const;

/** A program that tests may need. */
export type NeededProgram = keyof typeof PACKAGES;

/** Registers a test, in the forms of `Deno.test` that are used here. */
export interface Registrar {
  (name: string, run: Deno.TestDefinition["fn"]): void;
  (definition: Deno.TestDefinition): void;
}

/** `Deno.test` where all of the programs are there, and `Deno.test.ignore` where one is not. */
export async function testWith(...programs: readonly NeededProgram[]): Promise<Registrar> {
  const missing: NeededProgram[] = [];
  for (const program of programs) {
    if (!await isHere(program)) missing.push(program);
  }
  if (missing.length === 0) return Deno.test;
  const packages = missing.map((program) => PACKAGES[program]).join(", ");
  // deno-lint-ignore no-console -- a skipped test must be seen
  console.warn(`NOT tested, for want of ${missing.join(", ")}; install ${packages}`);
  return Deno.test.ignore;
}

async function isHere(program: NeededProgram): Promise<boolean> {
  try {
    await new Deno.Command(program, { args: ["--version"], stdout: "null", stderr: "null" })
      .output();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
