import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBlankPage, Witness, type BlankPage } from '../../../activities/capture/index.js';
import { Deadline } from '../../../activities/deadline.js';
import { JobFailure } from '../../../activities/failure.js';
import type { Evidence, EvidenceReport } from '../../../workflows/contract/index.js';
import { launchChromium } from '../../support/chromium.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
});

/** What the witness tells of a page on which `act` was done. */
async function testimony(act: (blank: BlankPage) => Promise<unknown>): Promise<Evidence & { text: EvidenceReport }> {
  const blank = await openBlankPage(browser, {});
  const deadline = Deadline.after(10_000, 'attempt_timeout');
  const stored = new Map<string, Buffer>();
  try {
    const witness = new Witness(blank);
    await act(blank);
    const failure = new JobFailure('selector_not_found', '#x');
    const evidence = await witness.testify(
      deadline,
      failure,
      { id: 'j', attempt: 2, isCovered: false },
      async (key, bytes, contentType) => {
        stored.set(key, bytes);
        return await Promise.resolve({ key, contentType, bytes: bytes.length, sha256: '' });
      },
    );
    return { ...evidence, text: JSON.parse(String(stored.get(evidence.report.key))) as EvidenceReport };
  } finally {
    deadline.stop();
    await blank.context.close();
  }
}

test('of many messages the last are kept, cut and redacted, and all are counted', async () => {
  const { text } = await testimony(({ page }) =>
    page.evaluate(() => {
      for (let index = 1; index <= 300; index += 1) console.log(`token=secret-${String(index)} ${'x'.repeat(10_000)}`);
    }),
  );
  expect(text.console.total).toBe(300);
  expect(text.console.last).toHaveLength(50);
  expect(Math.max(...text.console.last.map((entry) => entry.text.length))).toBeLessThanOrEqual(500);
  expect(JSON.stringify(text)).not.toContain('secret-');
});

test('a page that hangs keeps its words and has no picture', async () => {
  const { text, picture } = await testimony(async ({ page }) => {
    await page.evaluate(() => {
      console.warn('before');
      setTimeout(() => {
        for (;;);
      });
    });
  });
  expect(picture).toBeNull();
  expect(text).toMatchObject({ attempt: 2, code: 'selector_not_found', console: { last: [{ text: 'before' }] } });
});
