import type { PageScreenshotInput, SettleStep } from '../../../workflows/contract/index.js';
import { JobFailure } from '../../failure.js';
import { callInPage } from '../in-page/index.js';
import type { Visit } from '../visit.js';
import type { Region } from './area.js';
import { drawFarFrames } from './far-frames.js';

export type ImageFormat = PageScreenshotInput['image'];

/**
 * Device pixels. A browser holds a picture as four bytes each, hence 256 MiB, beside the encoded one; the default full
 * page, 1,280 × 50,000, just fits.
 */
export const MAX_PIXELS = 64 * 1024 * 1024;
/** The longest side that the file format can state. */
const MAX_SIDE = { png: 2 ** 31 - 1, jpeg: 65_535, webp: 16_383 } as const;
const MASK_COLOUR = '#000';
/** Drawing the largest picture takes seconds where nothing else does: so many times as long as any other answer. */
const DRAWING = 2;

export interface Picture {
  readonly bytes: Buffer;
  /** What drawing took beside the picture itself. */
  readonly steps: readonly SettleStep[];
}

/** Fails with `artifact_too_large` before anything is drawn. */
export function assertSize(
  css: { width: number; height: number },
  deviceScale: number,
  format: keyof typeof MAX_SIDE,
): void {
  const width = Math.ceil(css.width * deviceScale);
  const height = Math.ceil(css.height * deviceScale);
  const size = `${String(width)} × ${String(height)} device pixels`;
  if (width * height > MAX_PIXELS) {
    throw new JobFailure('artifact_too_large', `${size}; at most ${String(MAX_PIXELS)} in all.`);
  }
  if (Math.max(width, height) > MAX_SIDE[format]) {
    throw new JobFailure('artifact_too_large', `${size}; ${format} holds ${String(MAX_SIDE[format])} a side.`);
  }
}

/**
 * Draws the region in one piece. The viewport is never resized: that is what stretches `100vh` and doubles fixed bars.
 * Fails with `page_crashed` when the browser cannot draw it.
 */
export async function takePicture(
  visit: Visit,
  { clip, beyondViewport }: Region,
  image: ImageFormat,
  mask: readonly string[],
): Promise<Picture> {
  const { bound, cdp, frames } = visit;
  if (image.format === 'png' && image.transparent) {
    const color = { r: 0, g: 0, b: 0, a: 0 };
    await frames.answer(bound, cdp.send('Emulation.setDefaultBackgroundColorOverride', { color }));
  }
  const farFrames = clip !== null && beyondViewport ? await drawFarFrames(visit, clip) : undefined;
  if (mask.length > 0) {
    const script = callInPage('mask', { selectors: mask, colour: MASK_COLOUR });
    await frames.callMain(bound, script);
  }
  const { data } = await frames.answer(
    bound,
    cdp.send('Page.captureScreenshot', {
      format: image.format,
      // Photographs take a third of the time so, and a fifth more bytes.
      optimizeForSpeed: image.format === 'png',
      ...('quality' in image ? { quality: image.quality } : {}),
      ...(clip === null ? {} : { clip: { ...clip, scale: 1 }, captureBeyondViewport: beyondViewport }),
    }),
    DRAWING,
  );
  return { bytes: Buffer.from(data, 'base64'), steps: farFrames === undefined ? [] : [farFrames] };
}
