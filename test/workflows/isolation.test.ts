import { ESLint, Linter } from 'eslint';
import { beforeAll, expect, test } from 'vitest';

const RULE = 'no-restricted-syntax';

let forbidden: Linter.RuleEntry;
beforeAll(async () => {
  const configuration = (await new ESLint().calculateConfigForFile('workflows/sweep.ts')) as Linter.Config;
  forbidden = configuration.rules?.[RULE] ?? expect.fail(`no ${RULE} for workflows`);
});

const problemsOf = (code: string): number => new Linter().verify(code, { rules: { [RULE]: forbidden } }).length;

test.each([
  'let count = 0;',
  'var count = 0;',
  'export let count = 0;',
  'const seen = new Map();',
  'export const seen = new Set();',
])('Q36: a workflow module may not have %s', (code) => {
  expect(problemsOf(code)).toBe(1);
});

test.each([
  'const LIMIT = 3;',
  'export function run() { let count = 0; const seen = new Map(); return [count, seen]; }',
])('a workflow module may have %s', (code) => {
  expect(problemsOf(code)).toBe(0);
});
