import { beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../../../workflows/contract/index.js';
import { diagnose, type Diagnosis } from '../../../support/capture.js';
import { useSite } from '../../../support/site.js';

const site = useSite();
let faults: Diagnosis;

async function of(path: string, query: Record<string, string> = {}): Promise<Diagnosis> {
  return await diagnose(site.setting, {
    target: { base: 'pages', path, query },
    page: { waitFor: [{ type: 'ready', ms: 3_000 }] },
    slowRequestMs: 300,
  });
}

beforeAll(async () => {
  faults = await of('/faults/index.html');
});

/** Each fault of `test/pages/faults` with what has to name it. */
const PLANTED: readonly (Partial<Finding> & { readonly rule: string; readonly path?: string })[] = [
  { rule: 'console-error', message: 'the price is 42' },
  { rule: 'console-warning', message: 'an old interface' },
  { rule: 'page-error', message: 'main frame failed' },
  { rule: 'page-error', message: 'iframe failed' },
  { rule: 'page-error', message: 'worker failed' },
  { rule: 'page-error', message: 'nobody caught this' },
  { rule: 'request-failed', path: 'reset' },
  { rule: 'request-http-error', path: 'status', message: 'GET of a fetch was answered with 500.' },
  { rule: 'request-http-error', path: 'status', message: 'GET of a image was answered with 404.' },
  { rule: 'request-slow', path: 'slow' },
  { rule: 'request-blocked', url: 'http://127.0.0.1:1/tracker.png' },
  { rule: 'horizontal-overflow', selector: '#wide' },
  { rule: 'content-clipped', selector: '#clipped' },
  { rule: 'content-overlapping', selector: '#over' },
  { rule: 'element-off-screen', selector: '#outside' },
  { rule: 'zero-size', selector: '#flat' },
  { rule: 'image-distorted', selector: '#squeezed' },
  { rule: 'image-broken', selector: '#broken' },
  { rule: 'text-invisible', selector: '#ghost' },
  { rule: 'text-too-small', selector: '#tiny' },
  { rule: 'tap-target-too-small', selector: '#small-button' },
  { rule: 'fixed-covering-content', selector: '#banner' },
  { rule: 'duplicate-id', message: 'The id twice is given twice.' },
  { rule: 'font-missing', selector: '#lettering' },
  { rule: 'axe:image-alt', selector: '#nameless' },
  { rule: 'axe:label', selector: '#unlabelled' },
];

describe('the page with planted faults', () => {
  test.each(PLANTED)('tells of $rule $selector $message', ({ path, ...planted }) => {
    const url = path === undefined ? {} : { url: new URL(path, site.pages.url).href };
    expect(faults.report.findings.items).toContainEqual(expect.objectContaining({ ...planted, ...url }));
  });

  test('finds what is wrong inside a frame, with the frame’s address and a box in the page', () => {
    const inFrame = faults.report.findings.items.find(({ selector }) => selector === '#unseen');
    expect(inFrame).toMatchObject({ rule: 'text-invisible', frame: `${site.pages.url.href}faults/frame.html` });
    expect(inFrame?.box?.y).toBeGreaterThan(300);
  });

  test('names where a script failed', () => {
    const error = faults.report.errors.items.find(({ message }) => message === 'worker failed');
    expect(error).toMatchObject({ url: `${site.pages.url.href}faults/worker.js`, line: 2 });
    expect(error?.stack).toContain('worker.js');
  });

  test('counts every finding once, and puts one of each severe rule among the worst', () => {
    const { counts, byRule, worst } = faults.result;
    expect(counts.error + counts.warning + counts.info).toBe(Object.values(byRule).reduce((sum, one) => sum + one, 0));
    expect(byRule['page-error']).toBe(4);
    expect(worst.length).toBeGreaterThan(5);
    expect(worst[0]?.severity).toBe('error');
    const rules = worst.map(({ rule }) => rule);
    for (const rule of ['page-error', 'image-broken', 'text-invisible', 'axe:label']) expect(rules).toContain(rule);
  });

  test('measures and lists the rest: fonts, requests by type, performance', () => {
    const { fonts, requests, performance, accessibility } = faults.report;
    expect(fonts.used.items.length).toBeGreaterThan(0);
    expect(requests.byType['image']?.count).toBeGreaterThan(2);
    expect(performance?.domNodes).toBeGreaterThan(20);
    expect(performance?.fcpMs).toBeGreaterThan(0);
    expect(accessibility.engine).toMatch(/^axe-core \d/);
  });
});

test.each(['article', 'form', 'dashboard', 'gallery', 'overlays'])(
  'the clean page %s has nothing of severity error',
  async (name) => {
    const { report, result } = await of(`/clean/${name}.html`);
    expect(report.findings.items.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(result.counts.error).toBe(0);
    expect(result.picture?.bytes).toBeGreaterThan(1_000);
  },
);

test('a page with thousands of faults stays within the bounds of report and result, and keeps the true counts', async () => {
  const html = `<title>Many</title><main></main><script>
    const main = document.querySelector('main');
    for (let i = 0; i < 2000; i += 1) {
      main.insertAdjacentHTML('beforeend', '<p style="color:#fff;font-size:7px">' + 'w'.repeat(50) + i + '</p>');
      console.error('e'.repeat(5000) + i);
    }
  </script>`;
  const { report, result, stored } = await of('/page', { html });
  expect(stored.get('report.json')?.length).toBeLessThanOrEqual(256 * 1024);
  expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(16 * 1024);
  expect(report.console.total).toBe(2_000);
  expect(result.byRule['text-invisible']).toBe(2_000);
  const { error, warning, info } = result.counts;
  expect(report.findings.total).toBe(error + warning + info);
  expect(report.findings.total).toBeGreaterThan(report.findings.items.length);
});

test('a page whose scripts are off is diagnosed without what needs them, and says so', async () => {
  const { report } = await diagnose(site.setting, {
    target: { base: 'pages', path: '/faults/index.html' },
    page: { javaScript: false },
    picture: 'none',
  });
  expect(report.accessibility.unchecked).not.toEqual([]);
  expect(report.performance).toBeNull();
  expect(report.findings.items.map(({ rule }) => rule)).toContain('image-distorted');
});
