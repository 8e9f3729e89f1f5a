import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPagesServer, type PagesServer } from '../../infra/gallery/pages.js';
import type { PageScreenshotRequest } from '../../workflows/contract/index.js';
import { capture, decode } from '../support/capture.js';
import { launchChromium } from '../support/chromium.js';
import { problemsOf, type Facts } from './checker.js';
import { LOOKED } from './looked.js';
import { factsOf } from './measure.js';

/**
 * Facts are written by `DARKROOM_WRITE_FACTS=<folder> npx vitest run test/gallery/facts.test.ts`, with the pictures in
 * that folder, to be looked at before they are checked in. Tests only read them.
 */
const writeTo = process.env['DARKROOM_WRITE_FACTS'];

interface GalleryJob {
  readonly name: string;
  readonly input: PageScreenshotRequest;
}

const here = (path: string): URL => new URL(path, import.meta.url);
const jobs = JSON.parse(readFileSync(here('../../infra/gallery/jobs.json'), 'utf8')) as readonly GalleryJob[];

let browser: Browser;
let pages: PagesServer;

beforeAll(async () => {
  [browser, pages] = await Promise.all([launchChromium(), startPagesServer()]);
});

afterAll(async () => {
  await Promise.all([browser.close(), pages.close()]);
});

async function shoot(job: GalleryJob, using = browser): Promise<PNG> {
  const { bytes } = await capture({ browser: using, base: new URL(pages.url), attemptMs: 60_000 }, job.input);
  return decode(bytes);
}

function readFacts(name: string): Facts {
  return JSON.parse(readFileSync(here(`./facts/${name}.json`), 'utf8')) as Facts;
}

function jobNamed(name: string): GalleryJob {
  return jobs.find((job) => job.name === name) ?? expect.fail(`No job ${name}`);
}

if (writeTo === undefined) {
  describe('the gallery', () => {
    it.each(jobs)('renders $name as its facts say', { timeout: 60_000 }, async (job) => {
      expect(problemsOf(await shoot(job), readFacts(job.name))).toEqual([]);
    });
  });

  describe('the checker', () => {
    it.each(jobs)('refuses a blank picture of $name', ({ name }) => {
      const facts = readFacts(name);
      const blank = new PNG(facts.size);
      blank.data.fill(255);
      expect(problemsOf(blank, facts).length).toBeGreaterThanOrEqual(3);
    });

    it('refuses a picture that is cut, and one that is only drawn in part', { timeout: 60_000 }, async () => {
      const facts = readFacts('uikit-article');
      const png = await shoot(jobNamed('uikit-article'));
      const cut = new PNG({ width: png.width, height: png.height / 2 });
      png.data.copy(cut.data, 0, 0, cut.data.length);
      expect(problemsOf(cut, facts)).toEqual([expect.stringMatching(/^size/)]);
      png.data.fill(255, png.data.length / 2);
      expect(problemsOf(png, facts)).not.toEqual([]);
    });

    it('refuses boxes for glyphs', { timeout: 60_000 }, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'darkroom-fonts-'));
      const config = join(folder, 'fonts.conf');
      writeFileSync(
        config,
        `<fontconfig><dir>/usr/share/fonts/truetype/liberation</dir><cachedir>${folder}</cachedir></fontconfig>`,
      );
      const poor = await launchChromium({ FONTCONFIG_FILE: config });
      try {
        const problems = problemsOf(await shoot(jobNamed('weui-panel'), poor), readFacts('weui-panel'));
        expect(problems).toContainEqual(expect.stringMatching(/^glyphs of .weui-media-box__desc: the same/));
      } finally {
        await poor.close();
        rmSync(folder, { recursive: true });
      }
    });
  });
} else {
  it.each(jobs)('writes the facts of $name', { timeout: 120_000 }, async ({ name, input }) => {
    const looked = LOOKED[name] ?? expect.fail(`Say what to look at on ${name} in looked.ts.`);
    const { facts, bytes } = await factsOf(browser, new URL(pages.url), input, looked);
    writeFileSync(here(`./facts/${name}.json`), `${JSON.stringify(facts, null, 2)}\n`);
    writeFileSync(join(writeTo, `${name}.png`), bytes);
  });
}
