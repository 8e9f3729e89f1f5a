import { expect, test } from 'vitest';
import { targetOf } from '../../../workers/cli/shot.js';

const bases = { pages: new URL('http://localhost:8080/'), docs: new URL('http://localhost:8080/docs/') };

test.each([
  ['pages:/a/b?x=1', { base: 'pages', path: '/a/b', query: { x: '1' } }],
  ['http://localhost:8080/a', { base: 'pages', path: '/a' }],
  ['http://localhost:8080/docs/a?y=2', { base: 'docs', path: '/a', query: { y: '2' } }],
])('%s is a target under the longest base that fits', (address, target) => {
  expect(targetOf(address, bases)).toEqual(target);
});

test('an address under no base is refused with the bases there are', () => {
  expect(() => targetOf('https://elsewhere.example/', bases)).toThrow(/pages, docs/);
  expect(() => targetOf('page:/a', bases)).toThrow('No base is named page. There are: pages, docs.');
  expect(() => targetOf('/relative', bases)).toThrow(/none of the configured bases/);
});

test('a path alone is enough where there is one base', () => {
  expect(targetOf('/a', { pages: bases.pages })).toEqual({ base: 'pages', path: '/a' });
});
