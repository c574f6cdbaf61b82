// Every bound of the HTTP endpoint in one place. `docs/limits.md` lists them for users.

/** Bounds of what HTTP clients may hold and ask. */
export interface EndpointLimits {
  /** Sessions at once. */
  readonly maxSessions: number;
  /** How long a session without requests and streams is kept. */
  readonly sessionIdleMs: number;
  /** How long a client may take from `initialize` to `notifications/initialized`. */
  readonly handshakeMs: number;
  /** How long a session must have been idle before it may give way to a new one. */
  readonly evictAfterMs: number;
  /** Requests of one client under way at once. */
  readonly maxRequestsPerClient: number;
  /** Requests of one client a second, in the long run; 0 for no bound. */
  readonly maxRate: number;
  /** How long an authenticator may take before it counts as one that fails. */
  readonly identifyTimeoutMs: number;
  /** Characters of sent events kept for one session whose client comes back. */
  readonly maxSessionReplay: number;
  /** Characters of sent events kept for all sessions. */
  readonly maxReplay: number;
  /** How often a quiet stream shows that it is alive. */
  readonly keepAliveMs: number;
}

const MINUTE_MS = 60_000;
const MEBI = 1024 * 1024;

/** The bounds in force unless a person chose others. */
export const DEFAULT_ENDPOINT_LIMITS: EndpointLimits = {
  maxSessions: 1000,
  sessionIdleMs: 30 * MINUTE_MS,
  handshakeMs: MINUTE_MS,
  evictAfterMs: MINUTE_MS,
  maxRequestsPerClient: 512,
  maxRate: 0,
  identifyTimeoutMs: 10_000,
  maxSessionReplay: 16 * MEBI,
  maxReplay: 64 * MEBI,
  keepAliveMs: 15_000,
};
