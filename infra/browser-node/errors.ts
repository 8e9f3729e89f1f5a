/** Everything the node can refuse or fail with: HTTP status and who has to act. Branch on the code, never on the text. */
export const NODE_ERRORS = {
  unauthorized: { status: 401, act: 'caller' },
  origin_forbidden: { status: 403, act: 'caller' },
  not_found: { status: 404, act: 'caller' },
  session_unknown: { status: 404, act: 'nobody' },
  method_not_allowed: { status: 405, act: 'caller' },
  tracking_id_invalid: { status: 400, act: 'caller' },
  timeout_invalid: { status: 400, act: 'caller' },
  tracking_id_live: { status: 409, act: 'caller' },
  tracking_id_barred: { status: 409, act: 'caller' },
  at_capacity: { status: 429, act: 'caller' },
  browser_unavailable: { status: 503, act: 'operator' },
  fence_full: { status: 503, act: 'operator' },
  node_stopping: { status: 503, act: 'caller' },
  kill_unconfirmed: { status: 504, act: 'operator' },
  browser_not_found: { status: 500, act: 'operator' },
  listen_failed: { status: 500, act: 'operator' },
  work_folder_unusable: { status: 500, act: 'operator' },
  settings_invalid: { status: 500, act: 'operator' },
  stop_unconfirmed: { status: 500, act: 'operator' },
  client_gone: { status: 400, act: 'nobody' },
  internal: { status: 500, act: 'operator' },
} as const satisfies Record<string, { status: number; act: 'caller' | 'operator' | 'nobody' }>;

export type NodeErrorCode = keyof typeof NODE_ERRORS;

export class NodeError extends Error {
  readonly code: NodeErrorCode;

  constructor(code: NodeErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NodeError';
    this.code = code;
  }

  get status(): number {
    return NODE_ERRORS[this.code].status;
  }
}

/** Why a session ended. Codes from 4000 are ours; the others are those of RFC 6455. */
export const SESSION_ENDS = {
  client_closed: { closeCode: 1000, reason: 'client_closed' },
  client_lost: { closeCode: 4002, reason: 'client_lost: no sign of life from the client' },
  killed: { closeCode: 4001, reason: 'killed: ended by /kill' },
  session_limit: { closeCode: 4008, reason: 'session_limit: the session limit has passed' },
  browser_crashed: { closeCode: 4011, reason: 'browser_crashed: the browser process ended' },
  browser_unavailable: { closeCode: 1013, reason: 'browser_unavailable: no browser could be started' },
  message_too_big: { closeCode: 1009, reason: 'message_too_big' },
  node_stopping: { closeCode: 1001, reason: 'node_stopping: the node is shutting down' },
} as const;

export type SessionEnd = keyof typeof SESSION_ENDS;

/** The code of a system error (`ENOENT`, `ESRCH`, …), or undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
