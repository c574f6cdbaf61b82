// What MCP demands of a server, by id: where it is written and which revisions demand it. Tests cite the ids in their
// titles; `conformance/requirements_test.ts` fails when one is not cited or not known. Sections are those of the
// specification pages of the newest revision named.

import { REVISIONS, type SchemaRevision } from "./harness/definitions.ts";

/** One behaviour that is demanded. */
export interface Requirement {
  /** The page of the specification. */
  readonly section: string;
  /** The revisions that demand it. */
  readonly revisions: readonly SchemaRevision[];
}

const ALL = REVISIONS;
const HANDSHAKE = REVISIONS.filter((revision) => revision < "2026-07-28");
const STATELESS = ["2026-07-28"] as const;
const ELICITING = HANDSHAKE.filter((revision) => revision >= "2025-06-18");
const HTTP = REVISIONS.filter((revision) => revision >= "2025-03-26");
const SESSIONS = HTTP.filter((revision) => revision < "2026-07-28");
const WITHOUT_BATCHES = REVISIONS.filter((revision) => revision !== "2025-03-26");

/** The demands by id. */
export const REQUIREMENTS = {
  "mcp.lifecycle.initialize": { section: "basic/lifecycle", revisions: HANDSHAKE },
  "mcp.lifecycle.negotiation": { section: "basic/lifecycle", revisions: HANDSHAKE },
  "mcp.lifecycle.capabilities": { section: "basic/lifecycle", revisions: ALL },
  "mcp.lifecycle.guard": { section: "basic/lifecycle", revisions: HANDSHAKE },
  "mcp.lifecycle.uncanceled": { section: "basic/utilities/cancellation", revisions: HANDSHAKE },
  "mcp.lifecycle.once": { section: "basic/lifecycle", revisions: HANDSHAKE },
  "mcp.lifecycle.ping": { section: "basic/utilities/ping", revisions: HANDSHAKE },
  "mcp.lifecycle.shutdown": { section: "basic/lifecycle", revisions: HANDSHAKE },
  "mcp.lifecycle.minimal": { section: "basic/lifecycle", revisions: ALL },

  "mcp.stateless.discover": { section: "server/discover", revisions: STATELESS },
  "mcp.stateless.metadata": { section: "basic/index", revisions: STATELESS },
  "mcp.stateless.removed": { section: "basic/versioning", revisions: STATELESS },
  "mcp.stateless.beside": { section: "basic/versioning", revisions: HANDSHAKE },
  "mcp.result.type": { section: "basic/index", revisions: ALL },
  "mcp.result.cache": { section: "basic/utilities/caching", revisions: ALL },

  "mcp.message.errors": { section: "basic/index", revisions: ALL },
  "mcp.message.ids": { section: "basic/index", revisions: ALL },
  "mcp.message.lines": { section: "basic/transports", revisions: ALL },
  "mcp.message.batches": { section: "basic/index", revisions: ["2025-03-26"] },
  "mcp.message.no_batches": { section: "basic/index", revisions: WITHOUT_BATCHES },
  "mcp.message.side_by_side": { section: "basic/index", revisions: ALL },
  "mcp.message.unknown_method": { section: "basic/index", revisions: ALL },

  "mcp.shape.content": { section: "server/tools", revisions: ALL },
  "mcp.shape.definitions": { section: "server/tools", revisions: ALL },
  "mcp.shape.structured": { section: "server/tools", revisions: ALL },
  "mcp.shape.implementation": { section: "basic/lifecycle", revisions: ALL },

  "mcp.logging.session": { section: "server/utilities/logging", revisions: HANDSHAKE },
  "mcp.logging.request": { section: "server/utilities/logging", revisions: STATELESS },
  "mcp.progress.token": { section: "basic/utilities/progress", revisions: ALL },
  "mcp.progress.increasing": { section: "basic/utilities/progress", revisions: ALL },
  "mcp.cancellation.silence": { section: "basic/utilities/cancellation", revisions: ALL },
  "mcp.cancellation.ignored": { section: "basic/utilities/cancellation", revisions: ALL },

  "mcp.subscription.resource": { section: "server/resources", revisions: HANDSHAKE },
  "mcp.subscription.listen": { section: "basic/utilities/subscriptions", revisions: STATELESS },
  "mcp.list_changed.session": { section: "server/tools", revisions: HANDSHAKE },

  "mcp.pagination.pages": { section: "server/utilities/pagination", revisions: ALL },
  "mcp.pagination.cursors": { section: "server/utilities/pagination", revisions: ALL },

  "mcp.tools.list": { section: "server/tools", revisions: ALL },
  "mcp.tools.call": { section: "server/tools", revisions: ALL },
  "mcp.tools.failure": { section: "server/tools", revisions: ALL },
  "mcp.tools.unknown": { section: "server/tools", revisions: ALL },
  "mcp.tools.arguments": { section: "server/tools", revisions: ALL },
  "mcp.tools.output": { section: "server/tools", revisions: ALL },
  "mcp.tools.headers": { section: "basic/transports", revisions: ALL },
  "mcp.resources.read": { section: "server/resources", revisions: ALL },
  "mcp.resources.not_found": { section: "server/resources", revisions: ALL },
  "mcp.prompts.get": { section: "server/prompts", revisions: ALL },
  "mcp.completion.values": { section: "server/utilities/completion", revisions: ALL },

  "mcp.ask.request": { section: "client/elicitation", revisions: HANDSHAKE },
  "mcp.ask.elicitation": { section: "client/elicitation", revisions: ELICITING },
  "mcp.ask.url": { section: "client/elicitation", revisions: ALL },
  "mcp.ask.capability": { section: "client/elicitation", revisions: ALL },
  "mcp.ask.retry": { section: "basic/mrtr", revisions: STATELESS },
  "mcp.ask.state": { section: "basic/mrtr", revisions: STATELESS },

  "mcp.tasks.create": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.capability": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.get": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.input": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.mrtr": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.cancel": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.request": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.silence": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.listen": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.bounds": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.owner": { section: "extensions/tasks", revisions: STATELESS },
  "mcp.tasks.handshake": { section: "extensions/tasks", revisions: HANDSHAKE },

  "mcp.http.door": { section: "basic/transports", revisions: HTTP },
  "mcp.http.status": { section: "basic/transports", revisions: HTTP },
  "mcp.http.headers": { section: "basic/transports", revisions: STATELESS },
  "mcp.http.session": { section: "basic/transports", revisions: SESSIONS },
  "mcp.http.batch": { section: "basic/transports", revisions: HTTP },
  "mcp.http.stream": { section: "basic/transports", revisions: HTTP },
  "mcp.http.accept": { section: "basic/transports", revisions: HTTP },
  "mcp.http.listen": { section: "basic/transports", revisions: HTTP },
  "mcp.http.disconnect": { section: "basic/transports", revisions: HTTP },
  "mcp.http.auth": { section: "basic/authorization", revisions: HTTP },
  "mcp.http.ask": { section: "basic/transports", revisions: HTTP },
  "mcp.http.resume": { section: "basic/transports", revisions: SESSIONS },
  "mcp.http.replicas": { section: "basic/transports", revisions: SESSIONS },
  "mcp.http.events": { section: "basic/transports", revisions: ["2024-11-05"] },
} as const satisfies Record<string, Requirement>;

/** The id of a demand. */
export type RequirementId = keyof typeof REQUIREMENTS;
