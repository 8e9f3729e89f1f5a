import { describe, expect, it } from 'vitest';
import type { PageScreenshotRequest, PageScreenshotResult, SettleStep } from '../../../workflows/contract/index.js';
import { capture, decode, pixel } from '../../support/capture.js';
import { useSite } from '../../support/site.js';

const site = useSite();

type Page = NonNullable<PageScreenshotRequest['page']>;

async function visit(html: string, page: Page = {}, csp?: string): Promise<PageScreenshotResult> {
  const query = { html, ...(csp === undefined ? {} : { csp }) };
  const target = { base: 'pages', path: '/page', query };
  return (await capture({ ...site.setting, attemptMs: 60_000 }, { target, page })).result;
}

function stepOf(result: PageScreenshotResult, step: SettleStep['step']): SettleStep | undefined {
  return result.settle.find((one) => one.step === step);
}

describe('settling', () => {
  it('reports its steps in order, and each done on a simple page', async () => {
    const { settle } = await visit('<p>hi');
    expect(settle.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      'ready done',
      'fonts done',
      'images done',
      'animations done',
      'stable done',
    ]);
  });

  it('does not wait for a network that is never quiet', async () => {
    const html = `<script>setInterval(() => fetch('/poll'), 50); new EventSource('/events'); fetch('/hang')</script>`;
    const { settle } = await visit(html);
    expect(settle.every(({ outcome }) => outcome === 'done')).toBe(true);
  });

  it('waits for a quiet network when told to, up to its bound, and names what is pending', async () => {
    const waitFor = [{ type: 'load', state: 'networkidle', ms: 700 }] as const;
    const result = await visit(`<script>fetch('/hang?token=1')</script>`, { waitFor: [...waitFor] });
    const pending = [`${site.pages.url.origin}/hang`];
    expect(stepOf(result, 'ready')).toMatchObject({ outcome: 'bounded', pending });
  });

  it('takes the picture without an image that hangs, and names it', { timeout: 30_000 }, async () => {
    const result = await visit('<img src="/hang?a=1"><p>text');
    expect(stepOf(result, 'images')).toMatchObject({ outcome: 'bounded', pending: [`${site.pages.url.origin}/hang`] });
    expect(result.status).toBe(200);
  });

  it('takes the picture without a font that hangs, and names it', { timeout: 30_000 }, async () => {
    const html = `<style>@font-face { font-family: x; src: url(/hang?f) } p { font-family: x, serif }</style><p>text`;
    const result = await visit(html);
    expect(stepOf(result, 'fonts')).toMatchObject({ outcome: 'bounded', pending: [`${site.pages.url.origin}/hang`] });
  });

  it('does not wait for a font that a policy refuses', async () => {
    const html = `<style>@font-face { font-family: x; src: url(/hang) } p { font-family: x, serif }</style><p>text`;
    const result = await visit(html, {}, "default-src 'self' 'unsafe-inline'; font-src 'none'");
    expect(stepOf(result, 'fonts')?.outcome).toBe('done');
  });

  it('goes on when a page never comes to rest', async () => {
    const html = `<canvas id=c></canvas><script>let n = 0; const x = c.getContext('2d');
      (function draw() { x.fillStyle = 'hsl(' + n++ * 37 + ' 100% 50%)'; x.fillRect(0, 0, 300, 150); requestAnimationFrame(draw) })()</script>`;
    expect(stepOf(await visit(html), 'stable')?.outcome).toBe('bounded');
  });

  it('waits for changes to end', async () => {
    const html = `<body style="margin:0"><div id=a style="width:200px;height:200px"></div><script>let n = 0;
      const timer = setInterval(() => { a.style.background = 'rgb(' + n * 20 + ',0,0)'; if (++n > 12) clearInterval(timer) }, 16)</script>`;
    const target = { base: 'pages', path: '/page', query: { html } };
    const { bytes } = await capture(site.setting, { target });
    expect(pixel(decode(bytes), 10, 10)).toEqual([240, 0, 0, 255]);
  });
});

describe('a long page whose scripts are off', () => {
  it('is shown once down to its end, and what loads on sight is there', async () => {
    const squares = Array.from({ length: 20 }, (_, n) => `<img loading=lazy src="/square?n=${String(n)}">`);
    const html = `<body style="margin:0"><style>img { display: block; height: 2400px; width: 100px }</style>${squares.join('')}`;
    const target = { base: 'pages', path: '/page', query: { html } };
    const request = { target, page: { javaScript: false }, area: { type: 'full_page' } } as const;
    const { result, bytes } = await capture({ ...site.setting, attemptMs: 60_000 }, request);
    expect(result.settle.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
      'ready done',
      'lazy done',
      'fonts done',
      'images done',
      'animations done',
      'stable done',
    ]);
    expect(pixel(decode(bytes), 50, 19 * 2400 + 1200)).toEqual([0, 0, 0, 255]);
  });
});

describe('a condition', () => {
  it.each([
    [
      'its promise',
      `window.darkroomReady = new Promise((ready) => setTimeout(() => { document.title = 'ready'; ready() }, 200))`,
    ],
    ['its event', `setTimeout(() => { document.title = 'ready'; dispatchEvent(new Event('darkroom:ready')) }, 200)`],
    ['an event before anybody listens', `document.title = 'ready'; dispatchEvent(new Event('darkroom:ready'))`],
    ['a promise that fails', `document.title = 'ready'; window.darkroomReady = Promise.reject(new Error('no'))`],
  ])('takes the word of the page: %s', async (_, script) => {
    const result = await visit(`<script>${script}</script>`, { waitFor: [{ type: 'ready', ms: 5_000 }] });
    expect(result.title).toBe('ready');
    expect(stepOf(result, 'ready')?.outcome).toBe('done');
  });

  it('of readiness that never comes is bounded', async () => {
    const result = await visit('<p>x', { waitFor: [{ type: 'ready', ms: 100 }] });
    expect(stepOf(result, 'ready')?.outcome).toBe('bounded');
  });

  it('of a selector holds when it appears', async () => {
    const html = `<script>setTimeout(() => document.body.append(Object.assign(document.createElement('b'), { textContent: 'x' })), 200)</script><p>`;
    const result = await visit(html, { waitFor: [{ type: 'selector', selector: 'b' }] });
    expect(stepOf(result, 'ready')?.outcome).toBe('done');
  });

  it('of a selector that never matches fails as selector_not_found', async () => {
    const pending = visit('<p>x', { waitFor: [{ type: 'selector', selector: '#no', ms: 100 }] });
    await expect(pending).rejects.toMatchObject({ code: 'selector_not_found' });
  });
});

describe('a page that blocks its own thread', () => {
  it('fails as attempt_timeout', async () => {
    const target = { base: 'pages', path: '/page', query: { html: '<script>onload = () => { for (;;); }</script>' } };
    const pending = capture({ ...site.setting, attemptMs: 1_500 }, { target });
    await expect(pending).rejects.toMatchObject({ code: 'attempt_timeout' });
  });

  const spinning = (when: string): PageScreenshotRequest => {
    const html = `<title>Busy</title><p>text</p><script>${when}</script>`;
    return { target: { base: 'pages', path: '/page', query: { html } } };
  };

  it('for good fails as attempt_timeout long before the attempt ends', async () => {
    const request = spinning('onload = () => setTimeout(() => { for (;;); })');
    const pending = capture({ ...site.setting, attemptMs: 600_000, answerMs: 500 }, request);
    await expect(pending).rejects.toMatchObject({ code: 'attempt_timeout' });
    await expect(pending).rejects.toThrow('The page did not answer for 500 ms.');
  });

  it('for good, when it is to be drawn, fails likewise', async () => {
    const spin = 'Promise.resolve().then(() => { for (;;); })';
    const request = spinning(`onload = () => setTimeout(() => { ${spin} }, 300)`);
    const page = { waitFor: [{ type: 'delay', ms: 400 }] } satisfies Page;
    const pending = capture({ ...site.setting, attemptMs: 600_000, answerMs: 500 }, { ...request, page });
    await expect(pending).rejects.toMatchObject({ code: 'attempt_timeout' });
  });

  it('for seconds is waited for', { timeout: 30_000 }, async () => {
    const request = spinning(
      `onload = () => setTimeout(() => { for (const end = Date.now() + 5_000; Date.now() < end;); document.title = 'Done' })`,
    );
    const { result } = await capture(site.setting, request);
    expect(result.title).toBe('Done');
  });
});
