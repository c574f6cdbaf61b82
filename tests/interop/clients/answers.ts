// What every client of the interop tests gives: arguments for the tools, answers to questions.

/** Arguments of the tools that take some. */
export const TOOL_ARGUMENTS: Readonly<Record<string, Record<string, unknown>>> = {
  "confirm_delete": { filename: "a.txt" },
  greet: { name: "Ada" },
  "json_schema_2020_12_tool": {
    name: "Ada",
    address: { street: "St James's Square", city: "London" },
    contactMethod: "email",
    email: "ada@example.com",
  },
  "slow_compute": { seconds: 0, label: "quickly" },
  "test_elicitation": { message: "Who are you?" },
  "test_sampling": { prompt: "Say something" },
  "test_x_mcp_header": { region: "eu-west" },
};

/** Arguments of the prompts that take some. */
export const PROMPT_ARGUMENTS: Readonly<Record<string, Record<string, string>>> = {
  "test_prompt_with_arguments": { arg1: "one", arg2: "two" },
  "test_prompt_with_embedded_resource": { resourceUri: "test://static-text" },
};

/** The tool whose definition has everything that a definition can have. */
export const DESCRIBED_TOOL = "test_structured";

/** The prompt that asks before it is rendered. */
export const ASKING_PROMPT = "test_input_required_result_prompt";

/** Every resource of the fixture, one of the template's included. */
export const RESOURCES = [
  "test://static-text",
  "test://static-binary",
  "test://watched-resource",
  "test://template/7/data",
] as const;

/** What a client offers to be asked. With `applyDefaults` the SDKs fill in a form's defaults themselves. */
export const CAPABILITIES = {
  elicitation: { form: { applyDefaults: true } },
  sampling: {},
  roots: {},
};

type FormContent = Record<string, string | number | boolean | string[]>;
/** What a person does with a form. */
export type FormAnswer =
  | { action: "accept"; content: FormContent }
  | { action: "decline" };

const FORMS: Readonly<Record<string, FormContent>> = {
  "Who are you?": { username: "ada", email: "ada@example.com" },
  "Please review the defaults": {},
  "Please choose": {
    untitledSingle: "option1",
    titledSingle: "option2",
    legacyEnum: "opt3",
    untitledMulti: ["option1", "option3"],
    titledMulti: ["option2"],
  },
  "What is your name?": { name: "Ada" },
  "What is your favourite color?": { color: "blue" },
  "What is the context?": { context: "interop" },
  "Confirm?": { ok: true },
  "First name?": { name: "Ada" },
  "First?": { first: "one" },
  "Second name?": { name: "Grace" },
  "Second?": { second: "two" },
};

/**
 * Answers a form by its message. The one that asks whether to delete is declined.
 *
 * @throws RangeError for a form that the fixture does not have.
 */
export function answerForm(message: string): FormAnswer {
  if (message === "Delete it?") return { action: "decline" };
  const content = FORMS[message];
  if (content === undefined) throw new RangeError(`No answer to "${message}"`);
  return { action: "accept", content: { ...content } };
}

/** What the client's model says. */
export function answerSampling(): {
  model: string;
  role: "assistant";
  content: { type: "text"; text: string };
} {
  return { model: "parrot", role: "assistant", content: { type: "text", text: "Paris" } };
}

/** The client's roots. */
export function answerRoots(): { roots: { uri: string; name: string }[] } {
  return { roots: [{ uri: "file:///project", name: "project" }] };
}
