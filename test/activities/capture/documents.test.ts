import { describe, expect, it, test } from 'vitest';
import { problemOfAnswer, type DocumentAnswer } from '../../../activities/capture/navigate.js';
import { plainUrl } from '../../../activities/capture/page-watch.js';

const page: DocumentAnswer = {
  url: 'http://pages.test/a',
  status: 200,
  contentType: 'text/html; charset=utf-8',
  contentDisposition: '',
  location: '',
};
const fail = { origin: 'http://pages.test', onHttpError: 'fail' } as const;
const render = { ...fail, onHttpError: 'render' } as const;

test.each([
  ['http://pages.test/a?b=1#c', 'http://pages.test/a'],
  ['blob:http://pages.test/0-1#c', 'blob:http://pages.test/0-1'],
  ['data:text/html,secret', 'data:'],
  ['no address', ''],
])('%s is named as %s', (address, plain) => {
  expect(plainUrl(address)).toBe(plain);
});

describe('problemOfAnswer', () => {
  it.each([
    ['target_gone', { status: 404 }],
    ['target_gone', { status: 410 }],
    ['auth_failed', { status: 401 }],
    ['auth_failed', { status: 407 }],
    ['http_error', { status: 400 }],
    ['http_error', { status: 503 }],
    ['not_a_page', { status: 204 }],
    ['not_a_page', { status: 304 }],
    ['not_a_page', { status: 302 }],
    ['not_a_page', { status: 0 }],
    ['not_a_page', { contentType: 'application/pdf' }],
    ['not_a_page', { contentType: 'application/json' }],
    ['not_a_page', { contentType: 'image/png' }],
    ['not_a_page', { contentDisposition: 'Attachment; filename="a.html"' }],
    ['target_forbidden', { url: 'http://other.test/a' }],
    ['target_forbidden', { url: 'https://pages.test/a' }],
    ['target_forbidden', { url: 'http://pages.test:81/a' }],
    ['target_forbidden', { url: 'http://other.test/a', status: 404 }],
    ['target_forbidden', { url: 'data:text/html,hi' }],
  ] as const)('names %s for %j', (code, change) => {
    expect(problemOfAnswer({ ...page, ...change }, fail)?.code).toBe(code);
  });

  it.each(['text/html', 'TEXT/HTML;charset=GBK', 'application/xhtml+xml', 'image/svg+xml', 'text/plain', ''])(
    'takes %j for a page',
    (contentType) => {
      expect(problemOfAnswer({ ...page, contentType }, fail)).toBeUndefined();
    },
  );

  it('says nothing of a redirect that goes on', () => {
    expect(problemOfAnswer({ ...page, status: 302, location: '/b' }, fail)).toBeUndefined();
  });

  it('lets an error page be rendered when asked to, but never one that is gone or locked', () => {
    expect(problemOfAnswer({ ...page, status: 503 }, render)).toBeUndefined();
    expect(problemOfAnswer({ ...page, status: 404 }, render)?.code).toBe('target_gone');
    expect(problemOfAnswer({ ...page, status: 401 }, render)?.code).toBe('auth_failed');
  });
});
