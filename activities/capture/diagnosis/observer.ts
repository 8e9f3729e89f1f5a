import type { BrowserContext, Request } from 'playwright-core';
import type { Capped, ConsoleEntry, PageError, PageReport, RequestEntry } from '../../../workflows/contract/index.js';
import { excerpt } from '../excerpt.js';
import { plainUrl } from '../page-watch.js';
import { framesOf } from '../stack.js';
import { CappedList } from './capped-list.js';

export interface Observed {
  readonly console: Capped<ConsoleEntry>;
  readonly errors: Capped<PageError>;
  readonly requests: PageReport['requests'];
}

const KEPT = 200;
const LONGEST_TEXT = 1_000;

/** Blocked by a policy: of the page, of the browser, or of Darkroom's own egress guard. */
const BLOCKED = /ERR_BLOCKED_BY|^csp$|net::ERR_UNSAFE/i;
/** Cut off by the page itself: it went on, or no longer wanted it. */
const ABANDONED = 'ERR_ABORTED';

/** Listens to all that a page, its frames and its workers say, fail at and load. Made before the page goes anywhere. */
export class Observer {
  readonly #slowMs: number;
  readonly #console = new CappedList<ConsoleEntry>(KEPT);
  readonly #errors = new CappedList<PageError>(KEPT);
  readonly #requests = new CappedList<RequestEntry>(KEPT);
  readonly #types = new Map<string, { count: number; bytes: number }>();
  readonly #pending = new Set<Request>();
  #firstError: Error | undefined;
  readonly #slow = new WeakSet<Request>();

  constructor(context: BrowserContext, { slowRequestMs }: { readonly slowRequestMs: number }) {
    this.#slowMs = slowRequestMs;
    context.on('console', (message) => {
      const { url, line, column } = message.location();
      this.#console.add({
        type: message.type(),
        text: excerpt(message.text(), LONGEST_TEXT),
        url: plainUrl(url),
        line,
        column,
      });
    });
    context.on('weberror', (webError) => {
      this.#firstError ??= webError.error();
      this.#errors.add(errorOf(webError.error()));
    });
    context.on('request', (request) => this.#pending.add(request));
    context.on('requestfailed', (request) => {
      this.#pending.delete(request);
      this.#failed(request);
    });
    context.on('response', (response) => {
      const request = response.request();
      this.#pending.delete(request);
      // A body that nobody reads never ends, so the beginning of the answer counts too.
      this.#noteIfSlow(request, request.timing().responseStart);
      if (response.status() >= 400) this.#note(request, 'http_error', { status: response.status() });
      else if (isMixed(request)) this.#note(request, 'mixed_content', { status: response.status() });
    });
    context.on('requestfinished', (request) => {
      this.#count(request);
      this.#noteIfSlow(request, request.timing().responseEnd);
    });
  }

  /** As the browser told it, with its secrets. */
  get firstError(): Error | undefined {
    return this.#firstError;
  }

  get observed(): Observed {
    const byType = Object.fromEntries([...this.#types].sort(([a], [b]) => (a < b ? -1 : 1)));
    return {
      console: this.#console.list,
      errors: this.#errors.list,
      requests: { remarkable: this.#requests.list, byType, pending: this.#pending.size },
    };
  }

  #failed(request: Request): void {
    const error = request.failure()?.errorText ?? 'failed';
    if (error.includes(ABANDONED)) return;
    const blocked = BLOCKED.test(error);
    this.#note(request, blocked && isMixed(request) ? 'mixed_content' : blocked ? 'blocked' : 'failed', { error });
  }

  #noteIfSlow(request: Request, ms: number): void {
    if (ms <= this.#slowMs || this.#slow.has(request)) return;
    this.#slow.add(request);
    this.#note(request, 'slow', { ms: Math.round(ms) });
  }

  #note(
    request: Request,
    problem: RequestEntry['problem'],
    known: Partial<Pick<RequestEntry, 'status' | 'error' | 'ms'>>,
  ): void {
    this.#requests.add({
      problem,
      method: request.method(),
      url: plainUrl(request.url()),
      type: request.resourceType(),
      status: null,
      error: null,
      ms: null,
      ...known,
    });
  }

  #count(request: Request): void {
    const type = request.resourceType();
    const sum = this.#types.get(type) ?? { count: 0, bytes: 0 };
    this.#types.set(type, sum);
    sum.count += 1;
    request.sizes().then(
      ({ responseBodySize, responseHeadersSize }) => {
        sum.bytes += responseBodySize + responseHeadersSize;
      },
      () => undefined, // Its page has gone, and with it what the browser knew of the size.
    );
  }
}

/** Fetched in the clear by a page that was not. */
function isMixed(request: Request): boolean {
  if (request.isNavigationRequest() || !request.url().startsWith('http:')) return false;
  return request.frame().url().startsWith('https:');
}

function errorOf(error: Error): PageError {
  const stack = error.stack ?? '';
  const [{ url, line, column } = { url: '', line: 0, column: 0 }] = framesOf(stack);
  return {
    message: excerpt(error.message, LONGEST_TEXT),
    stack: excerpt(stack, LONGEST_TEXT),
    url: plainUrl(url),
    line,
    column,
  };
}
