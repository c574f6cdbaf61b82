// What the handlers of requests have at hand.

import type { Activation } from "../activation/activation.ts";
import type { Catalog } from "../router/catalog.ts";
import type { SchemaValidator } from "../router/validation.ts";
import type { Limits } from "./limits.ts";
import type { Listings } from "./listings.ts";
import type { Log } from "./log.ts";
import type { Slots } from "./slots.ts";
import type { Tasks } from "./tasks.ts";

/** The state that requests share. */
export interface Room {
  readonly activations: readonly Activation[];
  readonly catalog: Catalog;
  readonly listings: Listings;
  readonly validator: SchemaValidator;
  readonly slots: Slots;
  readonly tasks: Tasks;
  readonly limits: Limits;
  readonly log: Log;
  /** The catalog, after another look for the tools of activations that broke, where that is due. */
  lookAgain(): Catalog;
}
