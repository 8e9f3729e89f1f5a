import type { z } from 'zod';
import type { ErrorCode } from '../errors.js';

/** What is wrong with an input, in words that say what to do: an unknown option is told apart from a bad value. */
export interface Problem {
  readonly code: Extract<ErrorCode, 'invalid_input' | 'unsupported_option'>;
  readonly detail: string;
}

/** `values` never stand in the text: an input may hold what nobody else should read. */
export function problemOf(error: z.ZodError): Problem {
  const unknown = error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  if (unknown.length > 0) {
    const names = unknown.flatMap((issue) => issue.keys.map((key) => [...issue.path, key].join('.')));
    return { code: 'unsupported_option', detail: `Unknown: ${names.join(', ')}.` };
  }
  const list = error.issues.slice(0, 10).map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
  return { code: 'invalid_input', detail: `${list.join('; ')}.` };
}
