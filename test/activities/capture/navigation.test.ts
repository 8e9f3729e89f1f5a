import { EventEmitter, once } from 'node:events';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageScreenshotRequest } from '../../../workflows/contract/index.js';
import { capture, decode, pixel, type Capture } from '../../support/capture.js';
import { startFixtureServer, type FixtureServer } from '../../support/fixture-server.js';
import { useSite } from '../../support/site.js';

const site = useSite();
let elsewhere: FixtureServer;

beforeAll(async () => {
  elsewhere = await startFixtureServer();
});

afterAll(async () => {
  await elsewhere.close();
});

type Query = Record<string, string>;

async function visit(path: string, query: Query = {}, rest: Partial<PageScreenshotRequest> = {}): Promise<Capture> {
  return await capture(site.setting, { target: { base: 'pages', path, query }, ...rest });
}

async function visitHtml(html: string): Promise<Capture> {
  return await visit('/page', { html });
}

describe('a document', () => {
  it.each([
    ['target_gone', '/nowhere.html', {}],
    ['target_gone', '/status', { status: '410' }],
    ['http_error', '/status', { status: '503' }],
    ['auth_failed', '/unauthorized', {}],
    ['not_a_page', '/empty', {}],
    ['not_a_page', '/download', {}],
    ['not_a_page', '/pdf', {}],
    ['not_a_page', '/typed', { type: 'application/zip' }],
    ['not_a_page', '/typed', { type: 'application/json' }],
    ['navigation_failed', '/reset', {}],
    ['navigation_failed', '/circle', {}],
    ['navigation_failed', '/raw', { text: 'no answer\r\n\r\n' }],
    ['navigation_failed', '/raw', { text: 'HTTP/1.1 200 OK\r\n' }],
    ['navigation_failed', '/raw', { text: 'HTTP/1.1 304 Not Modified\r\n\r\n' }],
  ] as const)('fails as %s at %s %j', async (code, path, query) => {
    await expect(visit(path, query)).rejects.toMatchObject({ name: 'JobFailure', code });
  });

  it('fails as navigation_failed when nobody listens', async () => {
    const gone = await startFixtureServer();
    await gone.close();
    const request = { target: { base: 'pages', path: '/' } };
    await expect(capture({ ...site.setting, base: gone.url }, request)).rejects.toMatchObject({
      code: 'navigation_failed',
    });
  });

  it('fails as navigation_failed when it does not begin within its bound', async () => {
    const pending = visit('/hang', {}, { page: { navigationMs: 200 } });
    await expect(pending).rejects.toMatchObject({ code: 'navigation_failed' });
  });

  it('is rendered with an error status when asked to', async () => {
    const { result } = await visit('/status', { status: '503' }, { page: { onHttpError: 'render' } });
    expect(result).toMatchObject({ status: 503, title: '503' });
  });

  it('names the content type of what is no page', async () => {
    await expect(visit('/pdf')).rejects.toThrow('application/pdf');
  });
});

describe('a redirect', () => {
  it('inside the base is followed, and the query left out of the final address', async () => {
    const { result } = await visit('/redirect', { to: '/simple.html?token=1' });
    expect(result).toMatchObject({ status: 200, finalUrl: `${site.pages.url.origin}/simple.html`, title: 'Simple' });
  });

  it.each(['302', '307'])('to another origin by status %s is forbidden', async (status) => {
    const to = new URL('/simple.html', elsewhere.url).href;
    await expect(visit('/redirect', { to, status })).rejects.toMatchObject({ code: 'target_forbidden' });
  });

  it.each(['script', 'refresh'])('to another origin by %s is forbidden', async (how) => {
    const to = new URL('/simple.html', elsewhere.url).href;
    const html =
      how === 'script'
        ? `<script>setTimeout(() => location.replace(${JSON.stringify(to)}), 20)</script>`
        : `<meta http-equiv="refresh" content="0; url=${to}">`;
    await expect(visitHtml(html)).rejects.toMatchObject({ code: 'target_forbidden' });
  });

  it('by a refresh is followed', async () => {
    const { result } = await visitHtml('<meta http-equiv="refresh" content="0; url=/simple.html">');
    expect(result).toMatchObject({ finalUrl: `${site.pages.url.origin}/simple.html`, title: 'Simple' });
  });

  it('by a refresh after a second is followed', async () => {
    const { result } = await visitHtml('<meta http-equiv="refresh" content="1; url=/simple.html">');
    expect(result.title).toBe('Simple');
  });

  it('by a script soon after the load is followed', async () => {
    const { result } = await visitHtml(
      `<script>onload = () => setTimeout(() => location.replace('/simple.html'), 50)</script>`,
    );
    expect(result.title).toBe('Simple');
  });

  it('by three documents in a row is followed', async () => {
    const third = `/page?html=${encodeURIComponent(`<script>location.replace('/simple.html')</script>`)}`;
    const second = `/page?html=${encodeURIComponent(`<meta http-equiv=refresh content="0; url=${third}">`)}`;
    const { result } = await visitHtml(
      `<script>setTimeout(() => location.assign(${JSON.stringify(second)}), 30)</script>`,
    );
    expect(result.title).toBe('Simple');
  });

  it('without end fails as navigation_failed', async () => {
    const pending = visitHtml('<script>onload = () => location.reload()</script>');
    await expect(pending).rejects.toMatchObject({ code: 'navigation_failed' });
  });

  it('to a document that is gone fails as target_gone', async () => {
    const pending = visitHtml(`<script>setTimeout(() => location.replace('/nowhere.html'), 20)</script>`);
    await expect(pending).rejects.toMatchObject({ code: 'target_gone' });
  });

  it.each([
    ['target_forbidden', 'about:blank'],
    ['navigation_failed', '/reset'],
    ['not_a_page', `/raw?text=${encodeURIComponent('HTTP/1.1 302 Nowhere\r\n\r\n')}`],
  ])('fails as %s at %s', async (code, to) => {
    const pending = visitHtml(`<p>x<script>onload = () => setTimeout(() => location.replace('${to}'), 20)</script>`);
    await expect(pending).rejects.toMatchObject({ code });
  });

  it('to a blob of the page is followed, and named by its origin', async () => {
    const { result } = await visitHtml(
      `<script>location = URL.createObjectURL(new Blob(['<title>Blob</title>'], { type: 'text/html' }))</script>`,
    );
    expect(result.title).toBe('Blob');
    expect(result.finalUrl).toMatch(new RegExp(`^blob:${site.pages.url.origin}/[0-9a-f-]{36}$`));
  });

  it('that only changes the fragment is none', async () => {
    const { result } = await visitHtml(`<title>Same</title><script>onload = () => (location.hash = 'x')</script>`);
    expect(result.title).toBe('Same');
  });
});

describe('what a page opens', () => {
  it('dialogs are dismissed and counted', async () => {
    const { result } = await visitHtml(
      `<script>alert(1); document.title = String(confirm('2')) + prompt('3')</script>`,
    );
    expect(result.suppressed).toEqual({ dialogs: 3, popups: 0, downloads: 0 });
    expect(result.title).toBe('falsenull');
  });

  it.each(['while (!confirm("again?"));', 'for (;;) alert("again");'])(
    'a loop of dialogs is broken: %s',
    async (loop) => {
      const { result } = await visitHtml(`<title>Loop</title><script>${loop}</script><p>after`);
      expect(result.title).toBe('Loop');
      expect(result.suppressed.dialogs).toBeGreaterThan(20);
    },
  );

  it('loops of dialogs that follow each other fail as source_error, and are named', async () => {
    const html = `<script>for (let i = 0; i < 30; i += 1) addEventListener('load', () => { for (;;) alert(i) })</script>`;
    const setting = { ...site.setting, attemptMs: 600_000, answerMs: 1_500 };
    const pending = capture(setting, { target: { base: 'pages', path: '/page', query: { html } } });
    await expect(pending).rejects.toMatchObject({ code: 'source_error' });
    await expect(pending).rejects.toThrow(/dialogs without end: \d+ so far/);
  });

  it('a question before leaving does not stop a page from going on', async () => {
    const html = `<script>onbeforeunload = (event) => event.preventDefault();
      setTimeout(() => location.replace('/simple.html'), 20)</script>`;
    const { result } = await visitHtml(html);
    expect(result.title).toBe('Simple');
  });

  it('popups are closed and counted', async () => {
    const context = await site.browser.newContext();
    const before = site.browser.contexts().length;
    const { result } = await visitHtml(`<script>for (let i = 0; i < 5; i++) open('/simple.html?' + i)</script>`);
    expect(result.suppressed.popups).toBe(5);
    expect(site.browser.contexts()).toHaveLength(before);
    await context.close();
  });

  it('downloads are cancelled and counted, and the page stays', async () => {
    const html = `<title>Stays</title><a id=a href="/download" download>x</a><script>onload = () => a.click()</script>`;
    const { result } = await visit('/page', { html }, { page: { waitFor: [{ type: 'delay', ms: 300 }] } });
    expect(result).toMatchObject({ title: 'Stays', suppressed: { downloads: 1 } });
  });
});

describe('a page that dies', () => {
  /** A capture that waits in its page, and that page. */
  async function visitAtRest(): Promise<{ readonly pending: Promise<Capture>; readonly page: Page }> {
    const html = '<script>onload = () => fetch("/poll?here")</script>';
    const request = {
      target: { base: 'pages', path: '/page', query: { html } },
      page: { waitFor: [{ type: 'delay', ms: 100_000 }] },
    } satisfies PageScreenshotRequest;
    const pages = new EventEmitter();
    const opened = once(pages, 'page') as Promise<[Page]>;
    const pending = capture({ ...site.setting, prepared: (page) => pages.emit('page', page) }, request);
    pending.catch(() => undefined);
    const [page] = await opened;
    await page.waitForRequest((request) => new URL(request.url()).pathname === '/poll');
    return { pending, page };
  }

  it('fails as page_crashed, not at its bound', async () => {
    const { pending, page } = await visitAtRest();
    const cdp = await page.context().newCDPSession(page);
    const crash = cdp.send('Page.crash');
    await Promise.all([
      expect(pending).rejects.toMatchObject({ code: 'page_crashed' }),
      expect(crash).rejects.toThrow(/closed|crashed/),
    ]);
  });

  it('fails as connection_lost when its context is closed', async () => {
    const { pending, page } = await visitAtRest();
    await page.context().close();
    await expect(pending).rejects.toMatchObject({ code: 'connection_lost' });
  });
});

describe('a document that never ends', () => {
  const green = '<body style="background:#0a0">';
  it('is taken as it is: waiting for a style sheet or a script, cut off, or stopped by itself', async () => {
    const captures = await Promise.all([
      visitHtml(`<link rel=stylesheet href=/hang>${green}`),
      visitHtml(`${green}<script src=/hang></script>`),
      visit('/cut'),
      visitHtml(`${green}<script>window.stop()</script>`),
    ]);
    for (const { bytes } of captures) expect(pixel(decode(bytes), 700, 500)).toEqual([0, 170, 0, 255]);
    const [sheet] = captures;
    expect(sheet.result.settle[0]).toMatchObject({
      outcome: 'bounded',
      pending: [new URL('/hang', site.pages.url).href],
    });
  }, 60_000);
});
