import { z } from 'zod';

/** Text of one line. Control characters are refused: a database takes no NUL, a header no line break. */
export function line(longest: number) {
  return z
    .string()
    .min(1)
    .max(longest)
    .regex(/^[^\p{Cc}]*$/u, 'no control characters');
}
