// Asking the client, in the manner of its wire.

import type { Answer, Question } from "../mcp/question.ts";
import type { Exchange } from "./exchange.ts";

/** Asks on behalf of one request. */
export interface Asker {
  /** The answer to a question; `key` names it among those of the request. */
  ask(key: string, question: Question): Promise<Answer>;
}

/** Makes the asker of a request when it first asks: most never do. */
export interface AskerSource {
  createAsker(exchange: Exchange): Asker;
}
