import { describe, expect, it } from 'vitest';
import { imageSize } from '../../../../activities/capture/page-screenshot/image-size.js';
import type { PageScreenshotRequest } from '../../../../workflows/contract/index.js';
import { capture, decode, pixel, type Capture } from '../../../support/capture.js';
import { useSite } from '../../../support/site.js';

const site = useSite();

async function shoot(path: string, request: Omit<PageScreenshotRequest, 'target'>, query = {}): Promise<Capture> {
  return await capture(site.setting, { target: { base: 'pages', path, query }, ...request });
}

const viewport = { width: 400, height: 300 };
const squares = `<body style="margin:0"><div id=a style="width:50px;height:50px;background:#f00"></div>
  <dialog id=d style="margin:0;top:100px;left:0;border:0;padding:0;width:50px;height:50px;background:#00f"></dialog>
  <script>d.showModal()</script>`;

describe('an element', () => {
  it('below the viewport is drawn alone, its edges rounded outward', async () => {
    const page = { viewport: { ...viewport, deviceScale: 2 } };
    const { bytes, result } = await shoot('/corners.html', { page, area: { type: 'element', selector: '#element' } });
    expect([result.width, result.height]).toEqual([101 * 2, 51 * 2]);
    expect(pixel(decode(bytes), 100, 50)).toEqual([0, 255, 255, 255]);
  });

  it('inside a scrolling box is brought into its view', async () => {
    const { bytes } = await shoot('/corners.html', {
      page: { viewport },
      area: { type: 'element', selector: '#inside' },
    });
    expect(pixel(decode(bytes), 20, 20)).toEqual([136, 136, 0, 255]);
  });

  it('is drawn without what the page shows only while it is scrolled', async () => {
    const html = `<style>body{margin:0;height:2000px}#e{position:absolute;top:250px;width:100px;height:200px;background:#f00}
      #bar{position:fixed;top:260px;left:0;width:400px;height:30px;background:#00f;opacity:0;transition:opacity 2s}
      .down #bar{opacity:1}</style><div id=e></div><div id=bar></div>
      <script>onscroll = () => document.body.classList.toggle('down', scrollY > 100)</script>`;
    const { bytes } = await shoot('/page', { page: { viewport }, area: { type: 'element', selector: '#e' } }, { html });
    expect(pixel(decode(bytes), 10, 20)).toEqual([255, 0, 0, 255]);
  });

  it('that is not there fails as selector_not_found', async () => {
    const area = { type: 'element', selector: '#nowhere' } as const;
    await expect(shoot('/simple.html', { area })).rejects.toMatchObject({ code: 'selector_not_found' });
  });

  it('named by what is no selector fails as invalid_input', async () => {
    const area = { type: 'element', selector: '#a{' } as const;
    await expect(shoot('/simple.html', { area })).rejects.toMatchObject({ code: 'invalid_input' });
  });
});

describe('a clip', () => {
  it('lies where the document has it', async () => {
    const area = { type: 'clip', x: 10, y: 1_010, width: 30, height: 200 } as const;
    const { bytes } = await shoot('/bands.html', { page: { viewport }, area }, { height: '3000' });
    const png = decode(bytes);
    expect([png.width, png.height]).toEqual([30, 200]);
    expect([pixel(png, 0, 189)[0], pixel(png, 0, 190)[0]]).toEqual([5, 6]);
  });
});

describe('a size', () => {
  it.each([
    ['a viewport', { viewport: { width: 8_192, height: 8_192, deviceScale: 2 } }, { type: 'viewport' }],
    ['a clip', {}, { type: 'clip', x: 0, y: 0, width: 10_000, height: 10_000 }],
    ['a page', { viewport: { width: 2_000, height: 300, deviceScale: 2 } }, { type: 'full_page' }],
  ] as const)('beyond the bound of %s fails as artifact_too_large', async (_, page, area) => {
    const pending = shoot('/bands.html', { page, area }, { height: '20000' });
    await expect(pending).rejects.toMatchObject({ code: 'artifact_too_large' });
  });

  it('beyond what the format can state fails as artifact_too_large', async () => {
    const pending = shoot(
      '/bands.html',
      { page: { viewport }, area: { type: 'full_page' }, image: { format: 'webp' } },
      { height: '17000' },
    );
    await expect(pending).rejects.toMatchObject({ code: 'artifact_too_large' });
  });
});

describe('a format', () => {
  it.each([
    ['png', {}],
    ['jpeg', { quality: 50 }],
    ['webp', { quality: 50 }],
  ] as const)('%s states its own size', async (format, options) => {
    const page = { viewport: { width: 333, height: 222, deviceScale: 1.5 } };
    const { bytes, result } = await shoot('/simple.html', { page, image: { format, ...options } });
    expect(result).toMatchObject({ format, width: 500, height: 333, object: { contentType: `image/${format}` } });
    expect(imageSize(bytes)).toEqual({ width: 500, height: 333 });
  });

  it('that nobody knows has no size', () => {
    expect(() => imageSize(Buffer.alloc(64))).toThrow(TypeError);
  });
});

describe('options of the page', () => {
  it('hidden elements leave their space, masked ones a box, above dialogs too', async () => {
    const page = { viewport, hide: ['#a'], mask: ['#d'] };
    const png = decode((await shoot('/page', { page }, { html: squares })).bytes);
    expect(pixel(png, 25, 125)).toEqual([0, 0, 0, 255]);
    const backdrop = pixel(png, 300, 250);
    expect(pixel(png, 25, 25)).toEqual(backdrop);
  });

  it('a selector that is none fails as invalid_input', async () => {
    await expect(shoot('/simple.html', { page: { hide: ['a{'] } })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('css comes after the page has its own, whatever its policy is', async () => {
    const page = { viewport, css: 'body { background: #123456 }' };
    const query = { html: '<body style="">', csp: "default-src 'none'" };
    expect(pixel(decode((await shoot('/page', { page }, query)).bytes), 10, 10)).toEqual([0x12, 0x34, 0x56, 255]);
  });

  it('a page without scripts is rendered as one', async () => {
    const html =
      '<title>No</title><body style="margin:0;background:#fff"><script>document.body.style.background="#f00"</script>';
    const request = { page: { viewport, javaScript: false }, area: { type: 'full_page' } } as const;
    const { bytes, result } = await shoot('/page', request, { html });
    expect(pixel(decode(bytes), 10, 10)).toEqual([255, 255, 255, 255]);
    expect(result.title).toBe('No');
  });

  it('the dark scheme, the locale and the time zone reach the page', async () => {
    const html = `<script>document.title = [navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone,
      matchMedia('(prefers-color-scheme: dark)').matches, navigator.userAgent].join()</script>`;
    const page = { colorScheme: 'dark', locale: 'zh-CN', timezone: 'Asia/Shanghai', userAgent: 'x' } as const;
    expect((await shoot('/page', { page }, { html })).result.title).toBe('zh-CN,Asia/Shanghai,true,x');
  });
});
