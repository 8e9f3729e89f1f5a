import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OVERLAYS } from '../../infra/gallery/overlays.js';
import { startPagesServer, type PagesServer } from '../../infra/gallery/pages.js';
import { pageScreenshotInput } from '../../workflows/contract/schema/index.js';

const jobs = JSON.parse(readFileSync(new URL('../../infra/gallery/jobs.json', import.meta.url), 'utf8')) as readonly {
  readonly name: string;
  readonly input: { readonly target: { readonly path: string } };
}[];

let pages: PagesServer;

beforeAll(async () => {
  pages = await startPagesServer();
});

afterAll(async () => {
  await pages.close();
});

describe("the gallery's server", () => {
  it.each(Object.keys(OVERLAYS))('has what stands in for %s', async (path) => {
    const response = await fetch(new URL(path, pages.url));
    expect(response.status).toBe(200);
    expect(await response.text()).not.toMatch(/(src|href)="https?:\/\/[^"]+\.(js|css)"/);
  });

  it.each(['/', '/vitest/package.json', '/weui/../vitest/package.json', '/weui/nowhere.html', '/constructor'])(
    'has nothing at %s',
    async (path) => {
      const response = await fetch(new URL(path, pages.url));
      expect(response.status).toBe(404);
    },
  );

  it('lets a page fetch from itself only', async () => {
    const response = await fetch(new URL('/swagger-ui-dist/index.html', pages.url));
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'self'/);
  });
});

describe("the gallery's list", () => {
  it.each(jobs)('$name is a valid job for a page that is served', async ({ input }) => {
    expect(pageScreenshotInput.parse(input).target.base).toBe('pages');
    const response = await fetch(new URL(input.target.path, pages.url));
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  });

  it('has names that are files of facts', () => {
    const names = jobs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names)
      expect(() => readFileSync(new URL(`./facts/${name}.json`, import.meta.url))).not.toThrow();
  });
});
