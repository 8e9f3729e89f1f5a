import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ComponentDiagnosticsRequest, ScenarioReport } from '../../../../workflows/contract/index.js';
import { diagnoseComponent, type ComponentDiagnosis } from '../../../support/capture.js';
import { launchChromium } from '../../../support/chromium.js';
import { buildComponentHosts, type ComponentHosts } from '../../../support/component-hosts.js';
import { eventually } from '../../../support/eventually.js';
import { startFixtureServer, type FixtureServer } from '../../../support/fixture-server.js';

let browser: Browser;
let hosts: ComponentHosts;
let site: FixtureServer;

beforeAll(async () => {
  [browser, hosts] = await Promise.all([launchChromium(), buildComponentHosts()]);
  site = await startFixtureServer(hosts.folder);
});

afterAll(async () => {
  await Promise.all([browser.close(), site.close()]);
  await hosts.remove();
});

type Listed = NonNullable<NonNullable<ComponentDiagnosticsRequest['profile']>['scenarios']>;

async function of(
  host: 'react' | 'plain',
  component: string,
  scenarios: Listed = [],
  options: Partial<ComponentDiagnosticsRequest> = {},
): Promise<ComponentDiagnosis> {
  return await diagnoseComponent(
    { browser, base: site.url, attemptMs: 60_000 },
    { target: { base: 'pages', path: `/${host}/index.html` }, component, profile: { scenarios }, ...options },
  );
}

const first = ({ report }: ComponentDiagnosis): ScenarioReport => {
  const [scenario] = report.scenarios;
  if (scenario === undefined) throw new Error('No scenario.');
  return scenario;
};

const COMPONENTS = [
  ['react', 'button', 'danger', 'large'],
  ['react', 'badge', 'dot', 'full'],
  ['react', 'alert', 'error', 'closable'],
  ['react', 'checkbox', 'checked', 'disabled'],
  ['react', 'progress', 'done', 'striped'],
  ['react', 'card', 'shadow', 'bordered'],
  ['plain', 'sl-alert', 'warning', 'closable'],
  ['plain', 'sl-badge', 'success', 'pill'],
  ['plain', 'sl-button', 'primary', 'large'],
  ['plain', 'sl-progress-bar', 'done', 'unknown'],
  ['plain', 'sl-switch', 'on', 'small'],
  ['plain', 'sl-tag', 'danger', 'removable'],
] as const;

describe('components of two libraries', () => {
  test.each(COMPONENTS)('%s %s mounts in its default state and as %s and %s', async (host, component, ...presets) => {
    const diagnosis = await of(
      host,
      component,
      presets.map((preset) => ({ id: preset, preset })),
      { quietMs: 50 },
    );
    const { result, report, stored } = diagnosis;
    expect(report.scenarios.map(({ id, state, problem }) => ({ id, state, problem }))).toEqual(
      ['default', ...presets].map((id) => ({ id, state: 'ok', problem: null })),
    );
    expect(result.states.ok).toBe(3);
    const pictures = report.scenarios.map(({ picture }) => stored.get(picture?.key ?? '')?.toString('base64'));
    expect(new Set(pictures).size).toBe(3);
    expect(result.counts.error).toBe(0);
  });
});

describe('a component that does not come out right', () => {
  test('H6: throws on mount: a source error, with the stack in its own source, beside a scenario that is well', async () => {
    const diagnosis = await of('react', 'broken', [{ id: 'priced', preset: 'price' }], { quietMs: 0 });
    expect(diagnosis.result.scenarios.map(({ id, state }) => [id, state])).toEqual([
      ['default', 'source_error'],
      ['priced', 'ok'],
    ]);
    const { problem, picture } = first(diagnosis);
    expect(problem).toMatchObject({ code: 'source_error', message: expect.stringContaining('amount') as string });
    expect(problem?.stack[0]).toMatchObject({
      isMapped: true,
      line: await lineOf('hosts/react/components.jsx', 'price.amount'),
      url: expect.stringMatching(/react\/components\.jsx$/) as string,
    });
    expect(picture).not.toBeNull();
  });

  test('throws where its host does not catch it: a source error all the same', async () => {
    const html = `<script>window.darkroomReady = new Promise(() => {}); setTimeout(() => { throw new Error('uncaught'); });</script>`;
    const { problem, state } = await hostOf(html, { readyMs: 300 });
    expect(state).toBe('source_error');
    expect(problem).toMatchObject({ message: 'uncaught', stack: [{ line: 1, isMapped: false }] });
  });

  test('H6: is never ready: not_ready, and shown as it was', async () => {
    const diagnosis = await of('react', 'silent', [], { readyMs: 500 });
    expect(first(diagnosis)).toMatchObject({ state: 'not_ready', problem: { code: null }, accessibility: null });
    expect(diagnosis.result.picture).not.toBeNull();
    expect(diagnosis.result.scenarios[0]?.message).toContain('window.darkroomReady');
  });

  test('has a preset that its host does not know: a source error that names it', async () => {
    const { result } = await of('plain', 'sl-button', [{ id: 'odd', preset: 'odd' }], { quietMs: 0 });
    expect(result.scenarios[1]).toMatchObject({
      state: 'source_error',
      message: expect.stringContaining('no preset odd') as string,
    });
  });

  test('has a host that knows no protocol, one that says that it cannot tell now, and one that lacks its script', async () => {
    expect(await hostOf('<p>hello</p>', { readyMs: 200 })).toMatchObject({
      state: 'not_ready',
      problem: { message: expect.stringContaining('protocol') as string },
    });
    const busy = `<script>
      const asked = JSON.parse(decodeURIComponent(location.hash.slice('#darkroom='.length)));
      const error = Object.assign(new Error('no data'), { name: 'DarkroomUnavailable' });
      window.darkroomReady = asked.scenario === 'default' ? Promise.resolve() : Promise.reject(error);
    </script>`;
    const { report } = await host(busy, { quietMs: 0, profile: { scenarios: [{ id: 'second' }] } });
    expect(report.scenarios.map(({ state }) => state)).toEqual(['ok', 'unavailable']);
    expect(report.scenarios[1]?.problem).toMatchObject({ code: null, message: 'no data' });
    await expect(host('<script src="/nowhere.js"></script>', { readyMs: 200 })).rejects.toMatchObject({
      code: 'navigation_failed',
    });
  });
});

test('a page that crashes is unavailable; the scenarios after it are diagnosed in the same session', async () => {
  const html = `<script>
    const asked = JSON.parse(decodeURIComponent(location.hash.slice('#darkroom='.length)));
    window.darkroomReady = asked.scenario === 'crash' ? fetch('/hang?crash') : Promise.resolve({});
  </script>`;
  const diagnosing = host(html, { quietMs: 0, profile: { scenarios: [{ id: 'crash' }, { id: 'after' }] } });
  await eventually(
    () => site.hits,
    (hits) => hits.includes('/hang?crash'),
  );
  const pages = browser.contexts().flatMap((context) => context.pages());
  const page = pages.find((one) => one.url().includes('%22crash%22')) ?? expect.fail('no page');
  const crashed = page.waitForEvent('crash');
  const cdp = await page.context().newCDPSession(page);
  cdp.send('Page.crash').catch(() => undefined); // What has crashed does not answer.
  await crashed;
  const { report } = await diagnosing;
  expect(report.scenarios.map(({ id, state, problem }) => [id, state, problem?.code])).toEqual([
    ['default', 'ok', undefined],
    ['crash', 'unavailable', 'page_crashed'],
    ['after', 'ok', undefined],
  ]);
});

test('a browser that goes in the middle of the last scenario fails the attempt: nothing is said of what was not seen', async () => {
  const own = await launchChromium();
  const html = `<script>
    const asked = JSON.parse(decodeURIComponent(location.hash.slice('#darkroom='.length)));
    window.darkroomReady = asked.scenario === 'last' ? fetch('/hang?browser') : Promise.resolve({});
  </script>`;
  const input = {
    target: { base: 'pages', path: '/page', query: { html } },
    quietMs: 0,
    profile: { scenarios: [{ id: 'last' }] },
  };
  const diagnosis = diagnoseComponent({ browser: own, base: site.url }, input);
  const failure = expect(diagnosis).rejects.toMatchObject({ code: 'connection_lost' });
  await eventually(
    () => site.hits,
    (hits) => hits.includes('/hang?browser'),
  );
  await own.close();
  await failure;
});

test('H6: a portal that comes half a second after its component is part of the picture and of what is judged', async () => {
  const diagnosis = await of('react', 'portal', [], { page: { viewport: { width: 400, height: 300 } } });
  const [scenario] = diagnosis.report.scenarios;
  expect(scenario).toMatchObject({ state: 'ok', problem: null });
  expect(await colour(diagnosis, 0, 200, 60)).toEqual([0, 170, 0]);
});

test('a host whose document is not there fails the job, with the code that says why, and makes up no diagnosis', async () => {
  await expect(
    diagnoseComponent({ browser, base: site.url }, { target: { base: 'pages', path: '/nowhere.html' } }),
  ).rejects.toMatchObject({ code: 'target_gone' });
});

describe('a scenario', () => {
  const HOST = `<style>
      button { all: unset; display: block; width: 100px; height: 100px; background: #00f }
      button:focus { background: #0ff } button:hover { background: #f00 } button:active { background: #000 }
      @media (prefers-color-scheme: dark) { body { background: #222 } }
    </style><main></main><script>
      const { props } = JSON.parse(decodeURIComponent(location.hash.slice('#darkroom='.length)));
      const root = document.querySelector('main');
      root.innerHTML = '<button style="margin-left: ' + (props?.left ?? 0) + 'px" aria-label="square"></button>';
      window.darkroomReady = Promise.resolve({ root });
    </script>`;

  test('brings the component into its state with a pointer or the keyboard’s focus', async () => {
    const diagnosis = await host(HOST, {
      quietMs: 0,
      profile: {
        scenarios: [
          { id: 'hovered', interaction: { type: 'hover' } },
          { id: 'focused', interaction: { type: 'focus', selector: 'button' } },
          { id: 'pressed', interaction: { type: 'active' } },
        ],
      },
    });
    const colours = await Promise.all([0, 1, 2, 3].map(async (index) => await colour(diagnosis, index, 50, 50)));
    expect(colours).toEqual([
      [0, 0, 255],
      [255, 0, 0],
      [0, 255, 255],
      [0, 0, 0],
    ]);
  });

  test('has its own window, colours and props, and leaves nothing behind for the next', async () => {
    const diagnosis = await host(HOST, {
      quietMs: 0,
      profile: {
        scenarios: [
          { id: 'dark', colorScheme: 'dark', viewport: { width: 300, height: 200 }, props: { left: 150 } },
          { id: 'plain' },
        ],
      },
    });
    expect(await colour(diagnosis, 1, 20, 50)).toEqual([34, 34, 34]);
    expect(await colour(diagnosis, 1, 200, 50)).toEqual([0, 0, 255]);
    expect(await colour(diagnosis, 2, 20, 50)).toEqual([0, 0, 255]);
  });

  test('whose interaction finds nothing is not ready, and says what it looked for', async () => {
    const { report } = await host(HOST, {
      quietMs: 0,
      readyMs: 500,
      profile: { scenarios: [{ id: 'lost', interaction: { type: 'hover', selector: '#absent' } }] },
    });
    expect(report.scenarios[1]).toMatchObject({
      state: 'not_ready',
      problem: { code: 'selector_not_found', message: expect.stringContaining('#absent') as string },
    });
  });
});

async function lineOf(page: string, text: string): Promise<number> {
  const source = await readFile(new URL(`../../../pages/${page}`, import.meta.url), 'utf8');
  return source.split('\n').findIndex((line) => line.includes(text)) + 1;
}

/** A host that is one document of the fixture server. */
async function host(html: string, request: Omit<ComponentDiagnosticsRequest, 'target'>): Promise<ComponentDiagnosis> {
  return await diagnoseComponent(
    { browser, base: site.url },
    { target: { base: 'pages', path: '/page', query: { html } }, ...request },
  );
}

async function hostOf(html: string, request: Omit<ComponentDiagnosticsRequest, 'target'>): Promise<ScenarioReport> {
  return first(await host(html, { quietMs: 0, ...request }));
}

/** A colour in a scenario's picture, which is a JPEG, read by the browser and rounded to multiples of 17. */
async function colour(
  { report, stored }: ComponentDiagnosis,
  index: number,
  x: number,
  y: number,
): Promise<readonly number[]> {
  const bytes = stored.get(report.scenarios[index]?.picture?.key ?? '');
  if (bytes === undefined) throw new Error('No picture.');
  const page = await browser.newPage();
  try {
    const read = await page.evaluate<number[]>(`(async () => {
      const image = Object.assign(new Image(), { src: 'data:image/jpeg;base64,${bytes.toString('base64')}' });
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context.drawImage(image, 0, 0);
      return [...context.getImageData(${String(x)}, ${String(y)}, 1, 1).data];
    })()`);
    return read.slice(0, 3).map((one) => Math.round(one / 17) * 17);
  } finally {
    await page.close();
  }
}
