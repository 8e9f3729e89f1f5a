import { expect, test } from 'vitest';
import { malformation } from '../../../workflows/contract/index.js';

const job = {
  kind: 'page_screenshot',
  class: 'interactive',
  workspace: 'w1',
  input: { target: { base: 'pages', path: '/' } },
  bounds: { queueMs: 1_000 },
};

test('a job that workflow code can carry has nothing wrong', () => {
  expect(malformation(job, 'pageScreenshot')).toBeUndefined();
  expect(malformation({ ...job, bounds: undefined }, 'pageScreenshot')).toBeUndefined();
});

test.each<readonly [string, unknown]>([
  ['job', 'a text'],
  ['job', null],
  ['job', []],
  ['kind', { ...job, kind: 'toString' }],
  ['class', { ...job, class: 'urgent' }],
  ['workspace', { ...job, workspace: 'a b' }],
  ['input.target', { ...job, input: undefined }],
  ['input.target', { ...job, input: { target: { base: 'pages' } } }],
  ['bounds', { ...job, bounds: null }],
  ['bounds', { ...job, bounds: { queueMs: Number.NaN } }],
])('what is wrong is told by its field: %s', (field, wrong) => {
  expect(malformation(wrong, 'pageScreenshot')).toMatch(new RegExp(`^${field}: `));
});

test('a job of another kind than the workflow runs is told by its kind', () => {
  expect(malformation(job, 'pagePdf')).toMatch(/^kind: /);
});
