import { expect, test } from 'vitest';
import type { Grant } from '../../workflows/contract/index.js';
import { Inbox } from '../../workflows/inbox.js';

const ticket = { job: 'j', runId: 'run-1', attempt: 1 };
const grant = (generation: number, over: Partial<Grant> = {}): Grant => ({
  ticket,
  reservation: `r${String(generation)}`,
  generation,
  node: 'n',
  worker: 'w',
  waitedMs: 0,
  refusals: 0,
  ...over,
});

test('a grant to this run and attempt is found', () => {
  const inbox = new Inbox();
  inbox.granted(grant(1));
  expect(inbox.grantFor(ticket)).toEqual(grant(1));
});

test('a grant of the run that a reset replays is taken as it was then', () => {
  const inbox = new Inbox();
  inbox.granted(grant(1));
  expect(inbox.grantFor({ ...ticket, runId: 'run-2' })).toEqual(grant(1));
});

test('Q30: a grant to another attempt is not this attempt’s', () => {
  const inbox = new Inbox();
  inbox.granted(grant(1));
  expect(inbox.grantFor({ ...ticket, attempt: 2 })).toBeUndefined();
});

test('a grant that was taken is not found again, also when its signal is delivered twice', () => {
  const inbox = new Inbox();
  inbox.take(grant(1));
  inbox.granted(grant(1));
  expect(inbox.grantFor(ticket)).toBeUndefined();
});

test('signals out of order leave the newest grant', () => {
  const inbox = new Inbox();
  inbox.granted(grant(2));
  inbox.granted(grant(1));
  expect(inbox.grantFor(ticket)?.generation).toBe(2);
});

test('a loss counts for its generation only', () => {
  const inbox = new Inbox();
  inbox.lost({ reservation: 'r1', generation: 1, reason: 'lease_expired' });
  expect(inbox.isLost(grant(1))).toBe(true);
  expect(inbox.isLost(grant(2, { reservation: 'r1' }))).toBe(false);
});
