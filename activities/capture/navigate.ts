import type { Page, Response } from 'playwright-core';
import type { Deadline } from '../deadline.js';
import { JobFailure } from '../failure.js';
import { asFailure } from './classify.js';
import type { PageOptions } from './page-options.js';
import { plainUrl, type PageWatch } from './page-watch.js';

/** What browsers show as a document of its own; an answer without a type is theirs to guess. */
const PAGE_TYPES = new Set([
  '',
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/plain',
  'text/xml',
  'application/xml',
]);

/** What is known of a document before anything of it is shown. */
export interface DocumentAnswer {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly contentDisposition: string;
  readonly location: string;
}

export interface DocumentRules {
  /** The document and everywhere it leads stay on this origin. */
  readonly origin: string;
  readonly onHttpError: PageOptions['onHttpError'];
}

/**
 * Sends the page to its target and returns as soon as the document begins. Fails with `navigation_failed` (also after
 * `ms`), `target_gone`, `http_error`, `auth_failed`, `not_a_page`, `target_forbidden`, `page_crashed`, `connection_lost`.
 */
export async function navigate(
  deadline: Deadline,
  page: Page,
  watch: PageWatch,
  url: URL,
  rules: DocumentRules,
  ms: number,
): Promise<void> {
  const bound = deadline.within(ms, 'navigation_failed');
  try {
    await bound.race(page.goto(url.href, { waitUntil: 'commit', timeout: 0 }));
  } catch (error) {
    // What the target answered says more than how the browser put it: for a 204 and a PDF alike that is ERR_ABORTED.
    throw problemOfDocument(watch, rules) ?? asFailure(error);
  } finally {
    bound.stop();
  }
  assertDocument(watch, rules);
}

/** Fails for what a broken server sends: a status line and nothing else. Browsers show that as an empty text. */
export function assertContent(watch: PageWatch, isEmptyText: boolean): void {
  if (!isEmptyText || watch.answer?.headers()['content-type'] !== undefined) return;
  throw new JobFailure('navigation_failed', 'The answer has neither a content type nor content.');
}

/** Fails when the document that the page went to, or is on its way to, is none that may be rendered. */
export function assertDocument(watch: PageWatch, rules: DocumentRules): void {
  const problem = problemOfDocument(watch, rules) ?? problemOfPlace(watch.destination);
  if (problem !== undefined) throw problem;
}

/** The rules about documents; pure. */
export function problemOfAnswer(answer: DocumentAnswer, rules: DocumentRules): JobFailure | undefined {
  const { status, contentType } = answer;
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (leaves(answer.url, rules.origin)) return forbidden(answer.url);
  if (status === 404 || status === 410) return new JobFailure('target_gone', `Status ${String(status)}.`);
  if (status === 401 || status === 407) return new JobFailure('auth_failed', `Status ${String(status)}.`);
  if (status >= 400 && rules.onHttpError === 'fail') return new JobFailure('http_error', `Status ${String(status)}.`);
  if (status === 204 || status === 205) return new JobFailure('not_a_page', `Status ${String(status)}, no content.`);
  // One of redirects on the way has its place to go on to.
  const isNoDocument = status < 200 || (status >= 300 && status < 400 && answer.location === '');
  if (isNoDocument) return new JobFailure('not_a_page', `Status ${String(status)}, no document.`);
  if (/^\s*attachment/i.test(answer.contentDisposition)) return new JobFailure('not_a_page', `A download of ${type}.`);
  if (!PAGE_TYPES.has(type)) return new JobFailure('not_a_page', `Content type ${type}.`);
  return undefined;
}

function problemOfDocument(watch: PageWatch, rules: DocumentRules): JobFailure | undefined {
  if (leaves(watch.destination, rules.origin)) return forbidden(watch.destination);
  return watch.answer === undefined ? undefined : problemOfAnswer(describe(watch.answer), rules);
}

/** A page that went to its target and is at one of these now sent itself there. */
function problemOfPlace(address: string): JobFailure | undefined {
  if (address.startsWith('about:')) return new JobFailure('target_forbidden', `It led to ${address.slice(0, 50)}.`);
  if (!address.startsWith('chrome-error:')) return undefined;
  return new JobFailure('navigation_failed', 'It led to a document that did not load.');
}

function describe(answer: Response): DocumentAnswer {
  const headers = answer.headers();
  return {
    url: answer.url(),
    status: answer.status(),
    contentType: headers['content-type'] ?? '',
    contentDisposition: headers['content-disposition'] ?? '',
    location: headers['location'] ?? '',
  };
}

/** Not asked of the empty page that it starts from and of the browser's own error page: `problemOfPlace` tells those. */
function leaves(address: string, origin: string): boolean {
  if (address === '' || address === 'about:blank' || address.startsWith('chrome-error:')) return false;
  return URL.parse(address)?.origin !== origin;
}

function forbidden(address: string): JobFailure {
  return new JobFailure('target_forbidden', `It led to ${plainUrl(address)}.`);
}
