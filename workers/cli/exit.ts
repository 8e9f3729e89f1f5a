import { ServiceError } from '@temporalio/client';
import { ConfigurationError } from '../configuration/index.js';
import { DarkroomError } from '../../client/index.js';

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

/** 2 for what the caller can correct, 3 for what is not there, 1 for the rest. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof Exit) return error.code;
  if (error instanceof ConfigurationError || error instanceof DarkroomError) return EXIT.usage;
  if (error instanceof ServiceError) return EXIT.unreachable;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === 'string' && NETWORK.has(code)) return EXIT.unreachable;
  if (Array.isArray(errors) && errors.some((one) => exitCodeOf(one) === EXIT.unreachable)) return EXIT.unreachable;
  return EXIT.failedJob;
}
