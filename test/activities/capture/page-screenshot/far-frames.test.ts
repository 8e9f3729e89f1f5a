import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { PNG } from 'pngjs';
import type { Browser } from 'playwright-core';
import type { PageScreenshotRequest } from '../../../../workflows/contract/index.js';
import { capture, decode, diagnose, pixel } from '../../../support/capture.js';
import { launchChromium } from '../../../support/chromium.js';
import { useSite } from '../../../support/site.js';

const site = useSite();

const GREEN = [0, 128, 0, 255];
const BLUE = [0, 0, 255, 255];
const RED = [255, 0, 0, 255];
const WHITE = [255, 255, 255, 255];
const viewport = { width: 400, height: 300 } as const;

/** A document of another site, as the address of a frame: every row of 100 px has a colour of its own, from green on. */
function foreign(host = 'localhost'): string {
  const rows = `for (let i = 0; i < 40; i++) document.write('<div style="background:rgb(0,128,' + i * 6 + ')"></div>')`;
  const html = `<!doctype html><style>body { margin: 0; background: rgb(0,128,0) } div { height: 100px }</style><script>${rows}</script>`;
  return elsewhere(html, host);
}

function elsewhere(html: string, host = 'localhost'): string {
  const url = new URL(`/page?html=${encodeURIComponent(html)}`, site.pages.url);
  url.hostname = host;
  return url.href.replaceAll('&', '&amp;');
}

function frame(style: string, src = foreign()): string {
  return `<iframe src="${src}" style="display:block;border:0;width:200px;height:200px;${style}"></iframe>`;
}

const space = (height: number): string => `<div style="height:${String(height)}px"></div>`;

describe.each([
  ['in the process of its page', []],
  ['in a process of its own', ['--site-per-process']],
])('a frame of another site, %s,', (_, flags) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium({}, flags);
  });
  afterAll(async () => {
    await browser.close();
  });

  async function shoot(body: string, request: Omit<PageScreenshotRequest, 'target'> = {}, csp?: string) {
    const html = `<!doctype html><style>body { margin: 0 }</style>${body}`;
    const query = { html, ...(csp === undefined ? {} : { csp }) };
    const { result, bytes } = await capture(
      { browser, base: site.pages.url },
      {
        target: { base: 'pages', path: '/page', query },
        area: { type: 'full_page' },
        ...request,
        page: { viewport, ...request.page },
      },
    );
    const drawn = result.settle.find(({ step }) => step === 'frames');
    return { png: decode(bytes), drawn };
  }

  it('is drawn far below the window', async () => {
    const { png, drawn } = await shoot(`${space(2_000)}${frame('')}${space(1_000)}${frame('margin-left:50px')}`);
    expect(png.height).toBe(3_400);
    expect([pixel(png, 100, 2_050), pixel(png, 100, 2_150)]).toEqual([GREEN, [0, 128, 6, 255]]);
    expect([pixel(png, 25, 3_250), pixel(png, 100, 3_250)]).toEqual([WHITE, GREEN]);
    expect(drawn).toMatchObject({ outcome: 'done' });
  });

  it('is drawn where it reaches out of the window, and however tall it is', async () => {
    const { png } = await shoot(`${space(250)}${frame('height:3000px')}`);
    const rows = Array.from({ length: 30 }, (_, row) => pixel(png, 100, 250 + row * 100 + 50));
    expect(rows).toEqual(Array.from({ length: 30 }, (_, row) => [0, 128, row * 6, 255]));
  });

  it('is drawn at the scale of the picture', async () => {
    const scaled = { viewport: { ...viewport, deviceScale: 2 } };
    const { png } = await shoot(`${space(1_000.5)}${frame('')}`, { page: scaled });
    expect(png.height).toBe(2_402);
    expect([pixel(png, 200, 2_000), pixel(png, 200, 2_004), pixel(png, 200, 2_396)]).toEqual([
      WHITE,
      GREEN,
      [0, 128, 6, 255],
    ]);
  });

  it('is drawn where a policy allows no images', async () => {
    const { png } = await shoot(`${space(1_000)}${frame('')}`, {}, "img-src 'none'; script-src 'none'");
    expect(pixel(png, 100, 1_050)).toEqual(GREEN);
  });

  it('is drawn where scripts are off', async () => {
    const { png } = await shoot(`${space(1_000)}${frame('')}`, { page: { javaScript: false } });
    expect(pixel(png, 100, 1_050)).toEqual(GREEN);
  });

  it('is drawn under what lies over it, without what only follows the window', async () => {
    const over = `<div style="position:relative;top:-100px;height:50px;width:50px;background:blue"></div>`;
    const bar = `<div style="position:fixed;inset:0;border:60px solid red;transition:opacity 5s"></div>`;
    const { png } = await shoot(`${bar}${space(1_000)}${frame('')}${over}`);
    expect([pixel(png, 100, 1_050), pixel(png, 25, 1_125)]).toEqual([GREEN, BLUE]);
    expect([pixel(png, 30, 30), pixel(png, 370, 270)]).toEqual([RED, RED]);
  });

  it('is drawn on a page that snaps, has sections of 100vh and an open dialog', async () => {
    const style = `<style>html { scroll-snap-type: y mandatory } section { height: 100vh; scroll-snap-align: start }</style>`;
    const dialog = '<dialog>text</dialog><script>document.querySelector("dialog").showModal()</script>';
    const { png } = await shoot(`${style}${dialog}${'<section></section>'.repeat(5)}${frame('')}`);
    expect(png.height).toBe(1_700);
    expect(pixel(png, 100, 1_550)).toEqual(GREEN);
  });

  it('is drawn where it stands, on a page that moves it when it is scrolled', async () => {
    const header = '<style>header { height: 200px } .scrolled header { height: 20px }</style><header></header>';
    const moves = `<script>onscroll = () => document.body.classList.toggle('scrolled', scrollY > 100)</script>`;
    const { png } = await shoot(`${header}${moves}${space(1_000)}${frame('')}${space(500)}`);
    const rows = [1_195, 1_205, 1_395, 1_405].map((y) => pixel(png, 100, y));
    expect(rows).toEqual([WHITE, GREEN, [0, 128, 6, 255], WHITE]);
  });

  it('that goes when it is seen takes nothing with it', async () => {
    const seen = `let n = 0; new IntersectionObserver(([one]) => { if (one.isIntersecting && ++n === 2) one.target.remove(); })`;
    const gone = `<script>${seen}.observe(document.querySelector('iframe'))</script>`;
    const { png } = await shoot(`${space(1_000)}${frame('')}${frame('')}${gone}${space(500)}`);
    expect(pixel(png, 100, 1_050)).toEqual(GREEN);
  });

  it('is drawn on a page that is transparent', async () => {
    const image = { format: 'png', transparent: true } as const;
    const { png } = await shoot(`${space(1_000)}${frame('')}`, { image });
    expect([pixel(png, 300, 1_050), pixel(png, 100, 1_050)]).toEqual([[0, 0, 0, 0], GREEN]);
  });

  it('is masked where the page is', async () => {
    const { png } = await shoot(`${space(1_000)}${frame('')}`, { page: { mask: ['iframe'] } });
    expect(pixel(png, 100, 1_050)).toEqual([0, 0, 0, 255]);
  });

  it('that is sandboxed is one too', async () => {
    const { png, drawn } = await shoot(
      `${space(1_000)}<iframe sandbox srcdoc="<body bgcolor=blue>" style="display:block"></iframe>`,
    );
    expect(pixel(png, 100, 1_050)).toEqual(BLUE);
    expect(drawn).toMatchObject({ outcome: 'done' });
  });

  it('inside one of the own site is drawn, and one of the own site costs nothing', async () => {
    const own = `/page?html=${encodeURIComponent(`<body style="margin:0">${space(50)}${frame('')}`)}`;
    const nested = await shoot(`${space(1_000)}${frame('height:300px', own)}`);
    expect(pixel(nested.png, 100, 1_100)).toEqual(GREEN);
    const plain = await shoot(`${space(1_000)}${frame('', '/page?html=<body bgcolor=blue>')}`);
    expect(pixel(plain.png, 100, 1_100)).toEqual(BLUE);
    expect(plain.drawn).toBeUndefined();
  });

  it('is drawn in a clip and as an element', async () => {
    const body = `${space(1_000)}${frame('')}${space(1_000)}`;
    const [clip, element] = await Promise.all([
      shoot(body, { area: { type: 'clip', x: 0, y: 950, width: 400, height: 200 } }),
      shoot(body, { area: { type: 'element', selector: 'iframe' } }),
    ]);
    expect([pixel(clip.png, 100, 25), pixel(clip.png, 100, 75)]).toEqual([WHITE, GREEN]);
    expect([element.png.height, pixel(element.png, 100, 50)]).toEqual([200, GREEN]);
  });

  it('is left alone where the picture does not reach it', async () => {
    const body = `${frame('')}${space(1_000)}${frame('display:none')}${frame('')}`;
    const { png, drawn } = await shoot(body, { area: { type: 'full_page', maxHeight: 600 } });
    expect(pixel(png, 100, 50)).toEqual(GREEN);
    expect(drawn).toBeUndefined();
  });

  it('is in the picture of a diagnosis', async () => {
    const html = `<!doctype html><style>body { margin: 0 }</style>${space(1_000)}${frame('')}`;
    const { result, stored } = await diagnose(
      { browser, base: site.pages.url },
      { target: { base: 'pages', path: '/page', query: { html } }, page: { viewport } },
    );
    expect(stored.get(result.picture?.key ?? '')?.length).toBeGreaterThan(0);
  });
});

it('a frame of another process that hangs costs its own place only, and is named', async () => {
  const browser = await launchChromium({}, ['--site-per-process']);
  try {
    // Seen once while the page settles, and a second time to be drawn.
    const seen = `let n = 0; new IntersectionObserver(([one]) => { if (one.isIntersecting) n++; while (n > 1); })`;
    const hung = elsewhere(`<body>hangs<script>${seen}.observe(document.body)</script>`);
    const well = foreign('other.localhost');
    const html = `<!doctype html><style>body { margin: 0 }</style>${space(1_000)}${frame('', hung)}${frame('', well)}`;
    const setting = { browser, base: site.pages.url, attemptMs: 60_000 };
    const target = { base: 'pages', path: '/page', query: { html } };
    const { result, bytes } = await capture(setting, { target, page: { viewport }, area: { type: 'full_page' } });
    expect(pixel(decode(bytes), 100, 1_250)).toEqual(GREEN);
    expect(result.settle.find(({ step }) => step === 'frames')).toMatchObject({
      outcome: 'bounded',
      pending: [hung.replace(/\?.*/, '')],
    });
  } finally {
    await browser.close();
  }
}, 60_000);

describe('a picture with frames of another site is the same as one with frames of its own,', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium({}, ['--site-per-process']);
  });
  afterAll(async () => {
    await browser.close();
  });

  const bar = (style: string, inside = ''): string =>
    `<div style="position:fixed;left:0;right:0;background:red;${style}">${inside}</div>`;
  const small = (): string => frame('width:50px;height:50px', '/page?html=<body bgcolor=red>');
  const scrolls = `<script>onscroll = () => document.body.classList.toggle('s', scrollY > 50)</script>`;
  const shadow = `<script>host.attachShadow({ mode: 'open' }).append(document.querySelector('iframe'))</script>`;
  const inOwn = (html: string): string => frame('', `/page?html=${encodeURIComponent(html)}`);

  type Body = (src: string) => string;
  const PAGES: readonly (readonly [string, Body])[] = [
    ['sticky', (src) => `${space(1_000)}${frame('position:sticky;top:0', src)}${space(600)}`],
    [
      'in the shadow of something sticky',
      (src) =>
        `${frame('', src)}${space(1_000)}<div id=host style="position:sticky;top:0"></div>${shadow}${space(600)}`,
    ],
    ['under a bar at the fold', (src) => `${bar('bottom:0;height:50px')}${space(250)}${frame('height:600px', src)}`],
    ['beside a pinned one', (src) => `${bar('top:100px', small())}${space(1_000)}${frame('', src)}`],
    [
      'under a header that changes slowly',
      (src) =>
        `<style>header { position: fixed; inset: 0 0 auto; height: 50px; background: red; transition: background 1s }
        .s header { background: blue }</style><header></header>${scrolls}${space(1_000)}${frame('', src)}`,
    ],
    [
      'moved slowly',
      (src) =>
        `<style>header { height: 200px; transition: height .6s } .s header { height: 20px }</style>
        <header></header>${scrolls}${space(1_000)}${frame('', src)}${space(500)}`,
    ],
    [
      'to the right and below',
      (src) => `<div style="width:1500px">${space(900)}${frame('margin-left:1000px;width:490px;height:490px', src)}`,
    ],
    ['scaled', (src) => `${space(1_000)}${frame('transform:scale(.5);transform-origin:0 0', src)}`],
    ['in a zoomed page', (src) => `<style>html { zoom: 1.5 }</style>${space(500)}${frame('', src)}`],
    [
      'in a box that scrolls',
      (src) =>
        `${space(1_000)}<div style="overflow:auto;height:150px">${space(50)}${frame('height:500px', src)}</div>${space(800)}`,
    ],
    [
      'out of sight in one of its own',
      (src) => `${space(1_000)}${inOwn(`${space(400)}${frame('', src)}`)}${space(800)}`,
    ],
  ];

  test.each(PAGES)('%s', { timeout: 30_000 }, async (_, body) => {
    const shoot = async (host: string): Promise<PNG> => {
      const html = `<!doctype html><style>body { margin: 0 }</style>${body(foreign(host))}`;
      const target = { base: 'pages', path: '/page', query: { html } };
      const setting = { browser, base: site.pages.url, attemptMs: 60_000 };
      const { bytes } = await capture(setting, { target, page: { viewport }, area: { type: 'full_page' } });
      return decode(bytes);
    };
    const [own, other] = [await shoot('127.0.0.1'), await shoot('localhost')];
    expect([other.width, other.height]).toEqual([own.width, own.height]);
    expect(firstDifference(own, other)).toBeUndefined();
  });
});

/** A colour may be off by one where it was blended twice. */
function firstDifference(one: PNG, other: PNG): string | undefined {
  const index = one.data.findIndex((value, i) => Math.abs(value - (other.data[i] ?? 0)) > 1);
  if (index < 0) return undefined;
  const [x, y] = [Math.floor(index / 4) % one.width, Math.floor(index / 4 / one.width)];
  return `${String(x)}, ${String(y)}: ${String(pixel(other, x, y))} instead of ${String(pixel(one, x, y))}`;
}
