import type { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import type { PageScreenshotRequest } from '../../../../workflows/contract/index.js';
import { capture, decode, pixel, type Capture } from '../../../support/capture.js';
import { launchChromium } from '../../../support/chromium.js';
import { useSite } from '../../../support/site.js';
import { huesOf, inkDistance, inkOf, inkShare } from '../../../support/ink.js';

const site = useSite();

interface Shot extends Capture {
  readonly png: PNG;
}

async function shoot(path: string, request: Omit<PageScreenshotRequest, 'target'> = {}, query = {}): Promise<Shot> {
  const setting = { ...site.setting, attemptMs: 60_000 };
  const shot = await capture(setting, { target: { base: 'pages', path, query }, ...request });
  return { ...shot, png: decode(shot.bytes) };
}

const small = { viewport: { width: 400, height: 300 } } as const;
const fullPage = { type: 'full_page' } as const;

describe('a full page', () => {
  it('shows what is made or loaded on sight, seen from the top', async () => {
    const { png, result } = await shoot('/lazy.html', { page: small, area: fullPage });
    expect(png.height).toBe(60 * 300);
    const wrong = Array.from({ length: 60 }, (_, row) => row).filter((row) => {
      const i = Math.floor(row / 2);
      return String(pixel(png, 50, row * 300 + 150)) !== String([i * 8, 255 - i * 8, 100, 255]);
    });
    expect(wrong).toEqual([]);
    expect(result.title).toBe('Lazy 0');
  });

  it('keeps a section of 100vh at the height of the viewport, and bars where they are, once', async () => {
    const { png } = await shoot('/hero.html', { page: small, area: fullPage });
    expect(png.height).toBe(300 + 40 + 6_000);
    const rows = Array.from({ length: png.height }, (_, y) => pixel(png, 200, y).slice(0, 3).join());
    const runs = rows.flatMap((colour, y) => (colour === rows[y - 1] ? [] : [`${colour} at ${String(y)}`]));
    expect(runs).toEqual([
      '255,0,0 at 0',
      '0,136,255 at 40',
      '0,170,0 at 260',
      '255,0,255 at 300',
      '238,238,238 at 340',
    ]);
  });

  it.each([1, 2])('of 40,000 CSS pixels at scale %i shows every band once, in order', async (deviceScale) => {
    const page = { viewport: { width: 400, height: 300, deviceScale } };
    const { png, result } = await shoot('/bands.html', { page, area: fullPage }, { height: '40000' });
    expect(result).toMatchObject({ width: 400 * deviceScale, height: 40_000 * deviceScale, truncated: false });
    const wrong = Array.from({ length: 200 }, (_, i) => i).filter((i) => {
      const [red, green, blue] = pixel(png, 200, (i * 200 + 100) * deviceScale);
      return red !== i % 256 || green !== (i * 7) % 256 || blue !== 255 - (i % 256);
    });
    expect(wrong).toEqual([]);
  });

  it('is cut at its greatest height and says so', async () => {
    const area = { type: 'full_page', maxHeight: 450 } as const;
    const { png, result } = await shoot('/bands.html', { page: small, area }, { height: '2000' });
    expect(result).toMatchObject({ height: 450, truncated: true });
    expect(pixel(png, 10, 449)).toEqual([2, 14, 253, 255]);
  });

  it('shows what a page leaves out while it is out of sight', async () => {
    const section = '<section style="content-visibility:auto;contain-intrinsic-size:auto 300px">';
    const html = `<body style="margin:0"><div style="height:1000px"></div>${section}<div style="height:200px;background:red">`;
    const { png } = await shoot('/page', { page: small, area: fullPage }, { html });
    expect(png.height).toBe(1_200);
    expect(pixel(png, 50, 1_100)).toEqual([255, 0, 0, 255]);
  });

  it('covers what is masked on a page that is zoomed', async () => {
    const html = `<body style="margin:0"><style>html { zoom: 1.5 } p { width: 20px; height: 20px; background: red; margin: 100px 0 }</style><p>`;
    const { png } = await shoot('/page', { page: { ...small, mask: ['p'] } }, { html });
    expect(pixel(png, 15, 165)).toEqual([0, 0, 0, 255]);
  });

  it('shows its frames, lazy ones too', async () => {
    const { png } = await shoot('/frame.html', { page: small, area: fullPage });
    expect(pixel(png, 100, 50)).toEqual([0, 170, 0, 255]);
    expect(pixel(png, 100, 2_150)).toEqual([255, 136, 0, 255]);
  });

  it('is as high as the viewport when the page is shorter', async () => {
    const { result } = await shoot('/simple.html', { page: small, area: fullPage });
    expect(result).toMatchObject({ width: 400, height: 300 });
  });
});

describe('the device scale', () => {
  it.each([1, 2, 3])('%i gives the exact size, four corners and the page its resolution', async (deviceScale) => {
    const page = { viewport: { width: 400, height: 300, deviceScale } };
    const { png } = await shoot('/corners.html', { page, area: fullPage });
    const [right, bottom] = [400 * deviceScale, 1_500 * deviceScale];
    expect([png.width, png.height]).toEqual([right, bottom]);
    const edge = 10 * deviceScale - 1;
    const reach = (x: number, y: number): string => pixel(png, x, y).slice(0, 3).join();
    expect([reach(0, 0), reach(edge, edge)]).toEqual(['255,0,0', '255,0,0']);
    expect([reach(right - 1, 0), reach(right - 1 - edge, edge)]).toEqual(['0,255,0', '0,255,0']);
    expect([reach(0, bottom - 1), reach(edge, bottom - 1 - edge)]).toEqual(['0,0,255', '0,0,255']);
    expect([reach(right - 1, bottom - 1), reach(right - 1 - edge, bottom - 1 - edge)]).toEqual([
      '255,0,255',
      '255,0,255',
    ]);
    expect(reach(55 * deviceScale, 55 * deviceScale)).toBe(deviceScale > 1 ? '255,136,0' : '255,255,255');
  });
});

describe('glyphs', () => {
  it('of every script are distinct, and emoji have colours', async () => {
    const { png } = await shoot('/glyphs.html', { page: { viewport: { width: 400, height: 300 } } });
    const cell = (line: number, at: number) => ({ x: at * 40, y: line * 40, width: 40, height: 40 });
    for (let line = 0; line < 7; line += 1) {
      const inks = Array.from({ length: 8 }, (_, at) => inkOf(png, cell(line, at)));
      expect(Math.min(...inks.map(inkShare))).toBeGreaterThan(0.05);
      const pairs = inks.flatMap((one, i) => inks.slice(i + 1).map((other) => inkDistance(one, other)));
      expect(Math.min(...pairs)).toBeGreaterThan(0.02);
    }
    const hues = Array.from({ length: 8 }, (_, at) => huesOf(png, cell(6, at)));
    expect(Math.max(...hues)).toBeGreaterThan(2);
    expect(huesOf(png, cell(0, 0))).toBe(0);
  });
});

describe('a transparent picture', () => {
  it('leaves the default background out, and only when asked to', async () => {
    const html = '<body style="margin:0"><div style="width:50px;height:50px;background:#f00">';
    const image = { format: 'png', transparent: true } as const;
    const clear = await shoot('/page', { page: small, image }, { html });
    expect([pixel(clear.png, 10, 10), pixel(clear.png, 200, 200)]).toEqual([
      [255, 0, 0, 255],
      [0, 0, 0, 0],
    ]);
    const white = await shoot('/page', { page: small }, { html });
    expect(pixel(white.png, 200, 200)).toEqual([255, 255, 255, 255]);
  });
});

describe('a restless page', () => {
  it('is brought to rest: ended animations at their end, endless ones without, no caret', async () => {
    const { png, result } = await shoot('/restless.html', { page: small });
    expect(pixel(png, 60, 22)).not.toEqual([255, 255, 255, 255]);
    expect(pixel(png, 21, 60)[0]).toBeGreaterThan(240);
    expect(pixel(png, 40, 140)).toEqual([0, 170, 0, 255]);
    expect(pixel(png, 290, 205)).toEqual([255, 136, 0, 255]);
    expect(result.settle.map(({ outcome }) => outcome)).not.toContain('bounded');
  });

  it('gives the same bytes in two processes', async () => {
    const other = await launchChromium();
    try {
      const request = { target: { base: 'pages', path: '/restless.html' }, page: small };
      const [one, two] = await Promise.all(
        [site.browser, other].map(async (each) => await capture({ browser: each, base: site.pages.url }, request)),
      );
      expect(one?.result.object.sha256).toBe(two?.result.object.sha256);
    } finally {
      await other.close();
    }
  });
});
