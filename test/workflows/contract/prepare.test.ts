import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { canonicalInput, isConflict, startOptions } from '../../../workflows/contract/index.js';
import { prepareJob, problemOfJob } from '../../../workflows/contract/schema/index.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const artifact = { id: 'article', version: '3', expiresAt: '2100-01-01T00:00:00Z' };
const submission = {
  input: { target: { base: 'pages', path: '/', artifact } },
  workspace: 'w1',
  user: 'ann',
  operation: 'publish',
};

function prepared(changes: Record<string, unknown> = {}) {
  const made = prepareJob('page_screenshot', { ...submission, ...changes }, sha256);
  if (made.state === 'refused') throw new Error(made.problem.detail);
  return made;
}

test('the same submission is the same job, whether its defaults are written out or not', () => {
  const { id, job } = prepared();
  expect(prepared({ input: job.input })).toEqual(prepared());
  expect(prepared({ class: 'background', bounds: { queueMs: 1 } }).id).toBe(id);
  expect(prepared({ operation: 'another' }).id).not.toBe(id);
  expect(prepared({ key: 'mine' }).id).toBe(`page_screenshot/w1/${sha256('mine')}`);
});

test('a prepared job is one that the first activity takes', () => {
  const { job } = prepared();
  expect(problemOfJob(job, sha256)).toBeUndefined();
  expect(problemOfJob({ ...job, inputDigest: sha256('') }, sha256)).toMatchObject({ code: 'invalid_input' });
});

test('a job without its defaults is refused, though it has the digest of what it says', () => {
  const { job } = prepared();
  const input = submission.input as unknown as typeof job.input;
  const byHand = { ...job, input, inputDigest: sha256(canonicalInput(input)) };
  expect(problemOfJob(byHand, sha256)).toMatchObject({ detail: expect.stringContaining('defaults') as string });
});

test.each([
  ['invalid_input', { workspace: 'a b' }],
  ['invalid_input', { input: {} }],
  ['unsupported_option', { input: { ...submission.input, script: '' } }],
])('a submission that is no job is refused: %s', (code, changes) => {
  const refused = prepareJob('page_screenshot', { ...submission, ...changes }, sha256);
  expect(refused).toMatchObject({ state: 'refused', problem: { code } });
});

test('a job is started with what others find it by, and without its user in anything that is searched', () => {
  const options = startOptions(prepared());
  expect(options.memo).toMatchObject({ user: 'ann', operation: 'publish', artifact: 'article' });
  expect(JSON.stringify([options.workflowId, options.typedSearchAttributes, options.staticSummary])).not.toMatch(/ann/);
  expect(isConflict(options.memo, options.args[0].inputDigest)).toBe(false);
  expect(isConflict(options.memo, 'other')).toBe(true);
  expect(isConflict({}, 'other')).toBe(false);
});
