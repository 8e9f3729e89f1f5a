import { z } from 'zod';
import { WORKSPACE_PATTERN } from '../ids.js';
import type { Job } from '../job.js';
import { CONTRACT_VERSION, type Kind } from '../names.js';
import { componentDiagnosticsInput } from './component-diagnostics.js';
import { pageDiagnosticsInput } from './page-diagnostics.js';
import { pageScreenshotInput } from './page-screenshot.js';
import { line } from './text.js';

/** The input schema of every kind. A new kind adds one line. */
export const INPUT_SCHEMAS = {
  page_screenshot: pageScreenshotInput,
  page_diagnostics: pageDiagnosticsInput,
  component_diagnostics: componentDiagnosticsInput,
} as const satisfies Record<Kind, z.ZodType>;

const boundMs = z.int().min(1);

export const jobBounds = z.strictObject({
  queueMs: boundMs.optional(),
  attemptMs: boundMs.optional(),
  totalMs: boundMs.optional(),
});

const envelope = z.strictObject({
  v: z.literal(CONTRACT_VERSION),
  class: z.enum(['interactive', 'background']),
  workspace: z.string().regex(WORKSPACE_PATTERN, 'a workspace id: 1 to 64 of A-Z a-z 0-9 _ -'),
  user: line(256),
  operation: line(256).optional(),
  inputDigest: z.string().regex(/^[0-9a-f]{64}$/),
  bounds: jobBounds.optional(),
});

export const jobSchema = z.discriminatedUnion('kind', [
  envelope.extend({ kind: z.literal('page_screenshot'), input: pageScreenshotInput }),
  envelope.extend({ kind: z.literal('page_diagnostics'), input: pageDiagnosticsInput }),
  envelope.extend({ kind: z.literal('component_diagnostics'), input: componentDiagnosticsInput }),
]) satisfies z.ZodType<Job>;
