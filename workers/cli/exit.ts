export const EXIT = { succeeded: 0, failedJob: 1, usage: 2, unreachable: 3, cancelled: 130 } as const;

/** A command's end with an exit code of its own; the message is for people. */
export class Exit extends Error {
  override readonly name = 'Exit';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const NETWORK = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EHOSTUNREACH', 'ETIMEDOUT', 'EAI_AGAIN']);

/** By name: their classes would bring Temporal's client into every command. */
const CORRECTABLE = new Set(['ConfigurationError', 'DarkroomError']);
const UNANSWERED = 'ServiceError';

/** 2 for what the caller can correct, 3 for what is not there, 1 for the rest. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Exit) return error.code;
  const { name, code, errors } = error as { name?: unknown; code?: unknown; errors?: unknown };
  if (typeof name === 'string' && CORRECTABLE.has(name)) return EXIT.usage;
  if (name === UNANSWERED) return EXIT.unreachable;
  if (typeof code === 'string' && NETWORK.has(code)) return EXIT.unreachable;
  if (Array.isArray(errors) && errors.some((one) => exitCodeOf(one) === EXIT.unreachable)) return EXIT.unreachable;
  return EXIT.failedJob;
}
