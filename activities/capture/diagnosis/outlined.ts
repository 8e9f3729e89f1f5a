import type { Finding } from '../../../workflows/contract/index.js';
import { callInPage } from '../in-page/index.js';
import { regionOf } from '../page-screenshot/area.js';
import { MAX_PIXELS, takePicture } from '../page-screenshot/picture.js';
import type { PageOptions } from '../page-options.js';
import type { Visit } from '../visit.js';

const QUALITY = 75;
/** The longest side of a JPEG. */
const MAX_SIDE = 65_535;

/** The page down to `maxHeight`, with a numbered box around each finding that has one. Never too large: it is cut. */
export async function outlinedPicture(
  visit: Visit,
  { maxHeight, page }: { readonly maxHeight: number; readonly page: PageOptions },
  findings: readonly Finding[],
): Promise<Buffer> {
  const region = await regionOf(visit, { type: 'full_page', maxHeight });
  const boxes = findings.flatMap(({ severity, box }, index) =>
    box === undefined ? [] : [{ number: index + 1, severity, ...box }],
  );
  const { bound, frames } = visit;
  await frames.callMain(bound, callInPage('outline', { boxes }));
  const { deviceScale } = page.viewport;
  const clip = region.clip && { ...region.clip, height: heightThatFits(region.clip, deviceScale) };
  const { bytes } = await takePicture(visit, { ...region, clip }, { format: 'jpeg', quality: QUALITY }, page.mask);
  return bytes;
}

function heightThatFits({ width, height }: { width: number; height: number }, deviceScale: number): number {
  const rows = Math.min(MAX_SIDE, Math.floor(MAX_PIXELS / (width * deviceScale)));
  return Math.max(1, Math.min(height, Math.floor(rows / deviceScale)));
}
