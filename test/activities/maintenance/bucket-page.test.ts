import { expect, test } from 'vitest';
import { judge, pageOf, type Records } from '../../../activities/maintenance/bucket-page.js';
import type { ListedObject } from '../../../activities/results/index.js';

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string];
const FIRST = '0'.repeat(26);
const SECOND = '1'.repeat(26);
const WRITTEN = new Date('2026-01-02T00:00:00Z');
const BEFORE = new Date('2026-01-01T00:00:00Z');

function listed(...keys: string[]): ListedObject[] {
  return keys.map((key) => ({ key, modifiedAt: WRITTEN }));
}

function keysOf(objects: readonly ListedObject[]): readonly string[] {
  return objects.map(({ key }) => key);
}

/** A record of a screenshot as the scheduler keeps it, with one object under this key. */
function kept(job: string, folder: string, key: string): Records['results'][number] {
  const object = { key, contentType: 'image/png', bytes: 1, sha256: '0'.repeat(64) };
  return {
    job,
    folder,
    reservation: FIRST,
    result: { image: object },
  };
}

const NONE: Records = { uploads: {}, results: [], forgottenBefore: BEFORE };

test('a listing that is shorter than asked for is the rest of the bucket', () => {
  const objects = listed(`${A}/${FIRST}/x.png`, `${B}/${FIRST}/x.png`);
  expect(pageOf(objects, 3)).toEqual({ objects, until: null });
  expect(pageOf([], 3)).toEqual({ objects: [], until: null });
});

test('a folder that the listing may have cut is left whole to the next page', () => {
  const page = pageOf(listed(`${A}/${FIRST}/x.png`, `${B}/${FIRST}/x.png`, `${B}/${FIRST}/y.png`), 3);
  expect(keysOf(page.objects)).toEqual([`${A}/${FIRST}/x.png`]);
  expect(page.until).toBe(`${A}0`);
});

test('the end of a page sorts after every key in its last folder and before the next folder', () => {
  const { until } = pageOf(listed(`${A}/${FIRST}/x.png`, `${B}/${FIRST}/x.png`), 2);
  for (const key of [`${A}/${FIRST}/x.png`, `${A}/${SECOND}/zzz`, `${A}/~`]) expect(String(until) > key).toBe(true);
  expect(String(until) < `${B}/`).toBe(true);
});

test('a folder larger than a page does not stop the walk', () => {
  const page = pageOf(listed(`${A}/${FIRST}/x.png`, `${A}/${FIRST}/y.png`), 2);
  expect(page).toEqual({ objects: [], until: `${A}/${FIRST}/y.png` });
});

test('a walk in pages of any size sees every object that fits into a page with its folder once', () => {
  const all = listed(
    '.first',
    `${A}/${FIRST}/x.png`,
    `${A}/${SECOND}/x.png`,
    `${B}/${FIRST}/x.png`,
    `${C}/${FIRST}/x.png`,
    `${C}/${FIRST}/y.png`,
    'readme.txt',
  );
  for (const most of [3, 4, 5, 7, 8]) {
    const seen: string[] = [];
    let after: string | null = '';
    while (after !== null) {
      const start: string = after;
      const page = pageOf(all.filter(({ key }) => key > start).slice(0, most), most);
      seen.push(...keysOf(page.objects));
      after = page.until;
    }
    expect([most, seen]).toEqual([most, keysOf(all)]);
  }
});

test('objects of lost attempts are orphans; those of others and of the result are not', () => {
  const objects = listed(`${A}/${FIRST}/x.png`, `${A}/${SECOND}/x.png`, 'readme.txt', `${A}/short/x.png`);
  const judged = judge({ objects, until: null }, { ...NONE, uploads: { [FIRST]: 'kept', [SECOND]: 'orphan' } });
  expect(judged).toEqual({ orphans: [`${A}/${SECOND}/x.png`], missing: [] });
});

test('objects of an unknown reservation are orphans only when they are older than any result is kept', () => {
  const page = { objects: listed(`${A}/${FIRST}/x.png`), until: null };
  expect(judge(page, NONE).orphans).toEqual([]);
  expect(judge(page, { ...NONE, forgottenBefore: new Date(WRITTEN.getTime() + 1) }).orphans).toHaveLength(1);
});

test('a result is missing when one of its objects is not in the page', () => {
  const there = kept('there', A, `${A}/${FIRST}/x.png`);
  const gone = kept('gone', B, `${B}/${FIRST}/x.png`);
  const page = { objects: listed(`${A}/${FIRST}/x.png`), until: null };
  expect(judge(page, { ...NONE, uploads: { [FIRST]: 'kept' }, results: [there, gone] }).missing).toEqual([gone]);
});
