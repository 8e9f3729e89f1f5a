import { z } from 'zod';
import { pageOptions } from './page-options.js';
import { target } from './target.js';

const pixels = z.int().min(1).max(16_384);

const area = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('viewport') }),
  z.strictObject({
    type: z.literal('full_page'),
    /** CSS pixels; a longer page is cut there and the result says `truncated`. */
    maxHeight: z.int().min(1).max(100_000).default(50_000),
  }),
  z.strictObject({
    type: z.literal('clip'),
    x: z.number().min(0).max(100_000),
    y: z.number().min(0).max(100_000),
    width: pixels,
    height: pixels,
  }),
  z.strictObject({ type: z.literal('element'), selector: z.string().min(1).max(1_000) }),
]);

const image = z.discriminatedUnion('format', [
  z.strictObject({
    format: z.literal('png'),
    /** Leaves out the page's default white background. */
    transparent: z.boolean().default(false),
  }),
  z.strictObject({ format: z.literal('jpeg'), quality: z.int().min(1).max(100).default(80) }),
  z.strictObject({ format: z.literal('webp'), quality: z.int().min(1).max(100).default(80) }),
]);

export const pageScreenshotInput = z.strictObject({
  target,
  page: pageOptions,
  area: area.default({ type: 'viewport' }),
  image: image.default({ format: 'png', transparent: false }),
});
