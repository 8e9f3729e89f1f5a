import { z } from 'zod';
import { pageOptions } from './page-options.js';
import { target } from './target.js';

export const pageDiagnosticsInput = z.strictObject({
  target,
  page: pageOptions,
  /** CSS pixels from the top that are brought to load and drawn; rules look at the whole document. */
  maxHeight: z.int().min(1).max(100_000).default(20_000),
  /** A picture of the page with the worst findings outlined. */
  picture: z.enum(['none', 'outlined']).default('outlined'),
  /** A request that takes longer is reported as slow. */
  slowRequestMs: z.int().min(1).max(120_000).default(1_000),
});
