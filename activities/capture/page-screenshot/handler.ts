import type { PageScreenshotInput, PageScreenshotResult } from '../../../workflows/contract/index.js';
import type { CaptureSession, KindHandler } from '../kind.js';
import { contextOptions } from '../page-options.js';
import { describeVisit, visitPage, type Visit } from '../visit.js';
import { bottomOf, regionOf } from './area.js';
import { imageSize } from './image-size.js';
import { assertSize, takePicture, type Picture } from './picture.js';

/** A picture of a page: the viewport, the whole page, a part of it, or one element. */
export const pageScreenshot: KindHandler<'page_screenshot'> = {
  kind: 'page_screenshot',
  contextOptions: (input) => contextOptions(input.page),
  capture: captureScreenshot,
};

async function captureScreenshot(session: CaptureSession, input: PageScreenshotInput): Promise<PageScreenshotResult> {
  const { area, image, page } = input;
  // Known before the page is: nothing is loaded for a picture that is refused.
  if (area.type === 'viewport') assertSize(page.viewport, page.viewport.deviceScale, image.format);

  const visited = await visitPage(session, page, {
    beyondViewport: area.type !== 'viewport',
    lazyUntil: async (visit) => await bottomOf(visit, area),
    work: async (visit) => await draw(visit, input),
  });
  const { bytes, steps, truncated } = visited.outcome;

  const drawnAt = performance.now();
  const object = await session.store(`screenshot.${image.format}`, bytes, `image/${image.format}`);
  return {
    v: 1,
    object,
    format: image.format,
    ...imageSize(bytes),
    truncated,
    ...describeVisit({ ...visited, settle: [...visited.settle, ...steps] }, drawnAt, session),
  };
}

async function draw(
  visit: Visit,
  { area, image, page }: PageScreenshotInput,
): Promise<Picture & { readonly truncated: boolean }> {
  const region = await regionOf(visit, area);
  if (region.clip !== null) assertSize(region.clip, page.viewport.deviceScale, image.format);
  const picture = await takePicture(visit, region, image, page.mask);
  return { ...picture, truncated: region.truncated };
}
