import { describe, expect, it } from 'vitest';
import { capture, decode, diagnose, pixel, type Diagnosis } from '../../support/capture.js';
import { launchChromium } from '../../support/chromium.js';
import { useSite } from '../../support/site.js';

const site = useSite();

const fail = `() => { throw new Error('shadowed') }`;
const NAMES = ['title', 'body', 'fonts', 'images', 'forms', 'querySelector', 'querySelectorAll', 'documentElement'];
const FIELDS = ['id', 'localName', 'parentElement', 'children', 'childNodes', 'getAttribute', 'closest', 'contains'];

/** What pages are made of that stands before the names that scripts of ours use. */
const SHADOWS: readonly (readonly [string, string])[] = [
  ['forms by the names of properties of a document', NAMES.map((name) => `<form hidden name=${name}></form>`).join('')],
  ['images by the names of its methods', '<img hidden name=getAnimations><img hidden name=createElement>'],
  [
    'fields by the names of properties of their form',
    `<form id=outer>${FIELDS.map((name) => `<input type=hidden name=${name}>`).join('')}
      <input type=hidden name=getBoundingClientRect><input type=hidden name=checkVisibility></form>`,
  ],
  [
    'methods of arrays that throw',
    `<script>for (const name of ['slice', 'map', 'filter', 'some', 'find', 'at',
    Symbol.iterator]) Array.prototype[name] = ${fail}</script>`,
  ],
  ['promises, numbers and maps of its own', '<script>Promise = Map = Set = Math = Symbol = JSON = undefined</script>'],
  [
    'scrolling and timers that do nothing',
    `<script>scrollTo = requestAnimationFrame = setTimeout = getComputedStyle = dispatchEvent = () => undefined</script>`,
  ],
  [
    'methods of documents and objects that throw',
    `<script>for (const name of ['getAnimations', 'querySelectorAll'])
    Document.prototype[name] = ${fail}; JSON.stringify = Object.keys = ${fail}; Object.prototype.toJSON = ${fail}</script>`,
  ],
  ['readiness that throws', `<script>Object.defineProperty(window, 'darkroomReady', { get: ${fail} })</script>`],
];

/** Grey where it is at rest, red while it is not; `after` comes where the shadows are already there. */
function page(shadow: string, after = ''): string {
  return `<!doctype html><html lang=en><title>Plain</title>${shadow}
    <style>@keyframes blink { from { background: #f00 } to { background: #f00 } }
      body { margin: 0; background: #0a0 } main { animation: blink 1s infinite; background: #888; height: 3000px }</style>
    <main><h1>Words</h1><p style="font-size:7px">small</p></main>${after}`;
}

describe('a page with', () => {
  it.each(SHADOWS)('%s is captured as one without', async (_, shadow) => {
    const query = { html: page(shadow) };
    const { result, bytes } = await capture(site.setting, {
      target: { base: 'pages', path: '/page', query },
      page: {
        mask: ['h1'],
        hide: ['p'],
        waitFor: [
          { type: 'ready', ms: 100 },
          { type: 'selector', selector: 'h1' },
        ],
      },
      area: { type: 'full_page' },
    });
    const png = decode(bytes);
    expect(result.title).toBe('Plain');
    expect(result.settle.filter(({ step, outcome }) => step !== 'ready' && outcome !== 'done')).toEqual([]);
    expect(png.height).toBeGreaterThanOrEqual(3000);
    expect([pixel(png, 700, 2900), pixel(png, 10, 40)]).toEqual([
      [136, 136, 136, 255],
      [0, 0, 0, 255],
    ]);
  });

  it.each(SHADOWS)('%s is diagnosed as one without', async (name, shadow) => {
    const found = async (html: string): Promise<Diagnosis> =>
      await diagnose(site.setting, { target: { base: 'pages', path: '/page', query: { html } }, picture: 'none' });
    const [plain, shadowed] = await Promise.all([found(page('')), found(page(shadow))]);
    expect(plain.result.byRule).toMatchObject({ 'text-too-small': 1 });
    expect(shadowed.result.byRule).toEqual(plain.result.byRule);
    // axe-core itself is not made for such a form; it says so instead of failing.
    const unchecked = name.startsWith('fields') ? [new URL('/page', site.pages.url).href] : [];
    expect(shadowed.report.accessibility.unchecked).toEqual(unchecked);
    expect(shadowed.report.performance).not.toBeNull();
  });
});

describe('a page that no script of ours was made for', () => {
  it('fails as its own error, not as a defect', async () => {
    const html = '<script>onload = () => document.documentElement.remove()</script>';
    const request = { target: { base: 'pages', path: '/page', query: { html } }, area: { type: 'full_page' } } as const;
    const pending = capture(site.setting, request);
    await expect(pending).rejects.toMatchObject({ name: 'JobFailure', code: 'source_error' });
    await expect(pending).rejects.toThrow('TypeError');
  });
});

describe('a frame of another site', () => {
  it.each([
    ['in the process of its page', []],
    ['in a process of its own', ['--site-per-process']],
  ])('%s is brought to rest, and judged where it lies', async (_, flags) => {
    const own = await launchChromium({}, flags);
    const inner = `/page?html=${encodeURIComponent(page('<form hidden name=querySelector></form>'))}`;
    const src = new URL(inner, site.pages.url);
    src.hostname = 'localhost';
    const html = `<!doctype html><title>Outer</title><body style="margin:0"><div style="height:200px"></div>
      <iframe src="${src.href.replaceAll('&', '&amp;')}" style="border:0;margin:100px;width:300px;height:300px"></iframe>`;
    const request = { target: { base: 'pages', path: '/page', query: { html } } };
    try {
      const { result, bytes } = await capture({ browser: own, base: site.pages.url }, request);
      expect(result.settle.every(({ outcome }) => outcome === 'done')).toBe(true);
      expect(pixel(decode(bytes), 250, 550)).toEqual([136, 136, 136, 255]);
      const { report } = await diagnose({ browser: own, base: site.pages.url }, request);
      const small = report.findings.items.find(({ rule }) => rule === 'text-too-small');
      expect(small).toMatchObject({ frame: `${src.origin}/page`, box: { x: 100 } });
      expect(small?.box?.y).toBeGreaterThan(300);
    } finally {
      await own.close();
    }
  });
});
