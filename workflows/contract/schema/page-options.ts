import { z } from 'zod';
import { line } from './text.js';

const stepMs = z.int().min(1).max(120_000);
const selector = z.string().min(1).max(1_000);

const waitFor = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('load'),
    state: z.enum(['load', 'domcontentloaded', 'networkidle']),
    ms: stepMs.default(30_000),
  }),
  z.strictObject({
    type: z.literal('selector'),
    selector,
    state: z.enum(['visible', 'hidden', 'attached']).default('visible'),
    ms: stepMs.default(30_000),
  }),
  /** The page's own word: the promise `window.darkroomReady`, or the event `darkroom:ready`. */
  z.strictObject({ type: z.literal('ready'), ms: stepMs.default(30_000) }),
  z.strictObject({ type: z.literal('delay'), ms: stepMs }),
]);

/** Options of every kind that renders a page. Absent means: as a desktop browser with a 1280 × 800 window shows it. */
export const pageOptions = z
  .strictObject({
    viewport: z
      .strictObject({
        /** CSS pixels. */
        width: z.int().min(1).max(8_192).default(1_280),
        height: z.int().min(1).max(8_192).default(800),
        deviceScale: z.number().min(0.5).max(4).default(1),
        mobile: z.boolean().default(false),
        touch: z.boolean().default(false),
      })
      .prefault({}),
    colorScheme: z.enum(['light', 'dark']).default('light'),
    reducedMotion: z.boolean().default(false),
    locale: z
      .string()
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/)
      .default('en-US'),
    timezone: z.string().min(1).max(64).default('UTC'),
    javaScript: z.boolean().default(true),
    userAgent: line(512).optional(),
    waitFor: z.array(waitFor).max(8).default([]),
    /** Elements that are not drawn, their space kept. */
    hide: z.array(selector).max(32).default([]),
    /** Elements covered by an opaque box. */
    mask: z.array(selector).max(32).default([]),
    /** Added after the page's own style sheets. */
    css: z.string().max(65_536).optional(),
    /** `fail` (`http_error`) or `render` a document that answers with an error status. */
    onHttpError: z.enum(['fail', 'render']).default('fail'),
    navigationMs: stepMs.default(30_000),
  })
  .prefault({});
