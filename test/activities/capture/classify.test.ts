import { describe, expect, it } from 'vitest';
import { asFailure, classify, isMoved, Moved, ScriptError } from '../../../activities/capture/classify.js';
import { JobFailure } from '../../../activities/failure.js';

describe('classify', () => {
  it.each([
    ['page.goto: net::ERR_NAME_NOT_RESOLVED at http://nope.invalid/', 'navigation_failed'],
    ['page.goto: net::ERR_CONNECTION_REFUSED at http://127.0.0.1:9/', 'navigation_failed'],
    ['page.goto: net::ERR_ABORTED at http://pages.test/', 'navigation_failed'],
    ['page.goto: net::ERR_ABORTED; maybe frame was detached?', 'connection_lost'],
    ['page.goto: net::ERR_TOO_MANY_REDIRECTS at http://pages.test/', 'navigation_failed'],
    ['page.goto: net::ERR_INVALID_AUTH_CREDENTIALS at http://pages.test/', 'auth_failed'],
    ['page.goto: net::ERR_UNEXPECTED_PROXY_AUTH at http://pages.test/', 'auth_failed'],
    ['page.goto: net::ERR_OUT_OF_MEMORY at http://pages.test/', 'out_of_memory'],
    ['page.goto: Download is starting', 'not_a_page'],
    ['page.goto: Page crashed', 'page_crashed'],
    ['page.evaluate: Target crashed ', 'page_crashed'],
    ['cdpSession.send: Protocol error (Page.captureScreenshot): Unable to capture screenshot', 'page_crashed'],
    ['page.evaluate: Target page, context or browser has been closed', 'connection_lost'],
    ['browserContext.newPage: Target closed', 'connection_lost'],
    ['browser.newContext: Browser has been closed', 'connection_lost'],
    ['WebSocket was closed', 'connection_lost'],
    ['read ECONNRESET', 'connection_lost'],
    ['locator.waitFor: Unexpected token "{" while parsing css selector "{"', 'invalid_input'],
    ['locator.waitFor: Unknown engine "foo" while parsing selector foo=bar', 'invalid_input'],
    ['browser.newContext: Invalid timezone ID: Mars/Base', 'invalid_input'],
    ['page.goto: Timeout 30000ms exceeded.', 'attempt_timeout'],
    ['locator.waitFor: TypeError: root.querySelectorAll is not a function', 'source_error'],
    ['something nobody has seen before', undefined],
  ])('reads %j as %s', (message, code) => {
    expect(classify(new Error(message))).toBe(code);
  });

  it('keeps the code of a failure that has one', () => {
    expect(classify(new JobFailure('storage_unavailable', 'Target closed'))).toBe('storage_unavailable');
  });

  it('reads what is no error at all', () => {
    expect(classify('Page crashed')).toBe('page_crashed');
    expect(classify(undefined)).toBeUndefined();
  });
});

describe('isMoved', () => {
  it.each([
    'page.evaluate: Execution context was destroyed, most likely because of a navigation.',
    'frame.evaluate: Frame was detached',
    'cdpSession.send: Protocol error (Page.captureScreenshot): Not attached to an active page',
  ])('recognises %j', (message) => {
    expect(isMoved(new Error(message))).toBe(true);
  });

  it('is not taken in by what a page throws', () => {
    expect(isMoved(new ScriptError('Error: frame was detached'))).toBe(false);
    expect(isMoved(new Moved())).toBe(true);
  });

  it('is not taken in by a crash', () => {
    expect(isMoved(new Error('page.evaluate: Target crashed'))).toBe(false);
  });
});

describe('asFailure', () => {
  it('takes addresses and the call log out of the message', () => {
    const error = new Error(
      'page.goto: net::ERR_FAILED at https://pages.test/a?token=1\nCall log:\n  - ws://node/secret',
    );
    expect(asFailure(error)).toMatchObject({
      code: 'navigation_failed',
      detail: 'page.goto: net::ERR_FAILED at https://pages.test/a?[redacted]',
    });
  });

  it('leaves an error alone that nobody knows, since it may be a defect of ours', () => {
    const defect = new TypeError('x is not a function');
    expect(asFailure(defect)).toBe(defect);
  });
});
