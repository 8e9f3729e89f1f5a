import { z } from 'zod';
import { line } from './text.js';

/** A path under one of the operator's bases; never a URL. `activities/capture/target.ts` builds the URL from it. */
export const target = z.strictObject({
  base: z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'the name of a configured base'),
  path: z.string().min(1).max(2_048).startsWith('/'),
  query: z
    .record(z.string().max(256), z.string().max(2_048))
    .refine((query) => Object.keys(query).length <= 64, 'at most 64 parameters')
    .optional(),
  artifact: z
    .strictObject({
      id: line(256),
      version: line(256),
      expiresAt: z.iso.datetime({ offset: true }),
    })
    .optional(),
});
