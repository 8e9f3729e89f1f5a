import { expect, test } from 'vitest';
import { componentDiagnosticsInput } from '../../../workflows/contract/schema/index.js';

const target = { base: 'b', path: '/host' };
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `s${String(index)}` }));

function scenariosOf(scenarios: readonly unknown[]) {
  return componentDiagnosticsInput.parse({ target, profile: { scenarios } }).profile.scenarios;
}

test('the default state is always there and always first, listed or not', () => {
  expect(componentDiagnosticsInput.parse({ target }).profile.scenarios).toEqual([{ id: 'default' }]);
  expect(scenariosOf([{ id: 'a', preset: 'x' }]).map(({ id }) => id)).toEqual(['default', 'a']);
  const viewport = { width: 320, height: 200 };
  expect(scenariosOf([{ id: 'a' }, { id: 'default', viewport }])).toEqual([{ id: 'default', viewport }, { id: 'a' }]);
});

test('an input that was parsed parses to itself, so that it keeps its digest', () => {
  const once = componentDiagnosticsInput.parse({ target, profile: { scenarios: [{ id: 'a', props: { n: 1 } }] } });
  expect(componentDiagnosticsInput.parse(once)).toEqual(once);
});

test('at most 64 scenarios, the default included', () => {
  expect(scenariosOf(many(63))).toHaveLength(64);
  expect(() => scenariosOf(many(64))).toThrow('at most 64');
});

test.each([
  ['each id once', [{ id: 'a' }, { id: 'a' }]],
  ['neither preset nor props', [{ id: 'default', preset: 'x' }]],
  ['an id', [{ id: 'A b' }]],
  ['at most 4096', [{ id: 'a', props: { text: 'x'.repeat(5_000) } }]],
])('a profile is refused that breaks a rule: %s', (words, scenarios) => {
  expect(() => scenariosOf(scenarios)).toThrow(words);
});

test('a page without scripts mounts no component, so that is refused', () => {
  expect(() => componentDiagnosticsInput.parse({ target, page: { javaScript: false } })).toThrow('does not mount');
});
