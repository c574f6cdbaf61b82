// Which definition of the official schema a message of the server must fit.

/** Every revision with a schema, oldest first. Pinned here, so that a lost revision is noticed. */
export const REVISIONS = [
  "2024-11-05",
  "2025-03-26",
  "2025-06-18",
  "2025-11-25",
  "2026-07-28",
] as const;

/** A revision with a schema. */
export type SchemaRevision = typeof REVISIONS[number];

/** Results by the method of the request they answer. */
export const RESULTS: Readonly<Record<string, string>> = {
  "initialize": "InitializeResult",
  "server/discover": "DiscoverResult",
  "ping": "EmptyResult",
  "logging/setLevel": "EmptyResult",
  "resources/subscribe": "EmptyResult",
  "resources/unsubscribe": "EmptyResult",
  "tools/list": "ListToolsResult",
  "tools/call": "CallToolResult",
  "resources/list": "ListResourcesResult",
  "resources/templates/list": "ListResourceTemplatesResult",
  "resources/read": "ReadResourceResult",
  "prompts/list": "ListPromptsResult",
  "prompts/get": "GetPromptResult",
  "completion/complete": "CompleteResult",
  "subscriptions/listen": "SubscriptionsListenResult",
  "tasks/get": "GetTaskResult",
  "tasks/update": "TaskAcknowledgement",
  "tasks/cancel": "TaskAcknowledgement",
  // A courtesy that no revision defines; its result is empty like that of a ping.
  "shutdown": "EmptyResult",
};

/** Requests that may be answered with a request for input instead (2026-07-28). */
export const INPUT_REQUIRED_METHODS: ReadonlySet<string> = new Set([
  "tools/call",
  "prompts/get",
  "resources/read",
]);

/** Notifications of a server by method. */
export const NOTIFICATIONS: Readonly<Record<string, string>> = {
  "notifications/cancelled": "CancelledNotification",
  "notifications/progress": "ProgressNotification",
  "notifications/message": "LoggingMessageNotification",
  "notifications/resources/updated": "ResourceUpdatedNotification",
  "notifications/resources/list_changed": "ResourceListChangedNotification",
  "notifications/tools/list_changed": "ToolListChangedNotification",
  "notifications/prompts/list_changed": "PromptListChangedNotification",
  "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
  "notifications/tasks": "TaskNotification",
};

/** Requests of a server by method. */
export const SERVER_REQUESTS: Readonly<Record<string, string>> = {
  "ping": "PingRequest",
  "elicitation/create": "ElicitRequest",
  "sampling/createMessage": "CreateMessageRequest",
  "roots/list": "ListRootsRequest",
};

/** Errors that have a definition of their own (2026-07-28), by number. */
export const ERRORS: Readonly<Record<number, string>> = {
  [-32020]: "HeaderMismatchError",
  [-32021]: "MissingRequiredClientCapabilityError",
  [-32022]: "UnsupportedProtocolVersionError",
};
