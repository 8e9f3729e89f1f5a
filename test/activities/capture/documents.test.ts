import { describe, expect, it } from 'vitest';
import { problemOfAnswer, type DocumentAnswer } from '../../../activities/capture/navigate.js';

const page: DocumentAnswer = {
  url: 'http://pages.test/a',
  status: 200,
  contentType: 'text/html; charset=utf-8',
  contentDisposition: '',
};
const fail = { origin: 'http://pages.test', onHttpError: 'fail' } as const;
const render = { ...fail, onHttpError: 'render' } as const;

describe('problemOfAnswer', () => {
  it.each([
    ['target_gone', { status: 404 }],
    ['target_gone', { status: 410 }],
    ['auth_failed', { status: 401 }],
    ['auth_failed', { status: 407 }],
    ['http_error', { status: 400 }],
    ['http_error', { status: 503 }],
    ['not_a_page', { status: 204 }],
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

  it('lets an error page be rendered when asked to, but never one that is gone or locked', () => {
    expect(problemOfAnswer({ ...page, status: 503 }, render)).toBeUndefined();
    expect(problemOfAnswer({ ...page, status: 404 }, render)?.code).toBe('target_gone');
    expect(problemOfAnswer({ ...page, status: 401 }, render)?.code).toBe('auth_failed');
  });
});
