import { EventEmitter, once } from 'node:events';
import type { Page, Request, Response } from 'playwright-core';
import type { Deadline } from '../deadline.js';
import { JobFailure } from '../failure.js';

export type ResourceType = ReturnType<Request['resourceType']>;

/** How many addresses a list in a result may name. */
const LISTED = 10;
const LONGEST_URL = 300;

/** What a page does on its own: where it is going, what it still loads, whether it is alive. */
export class PageWatch {
  readonly #page: Page;
  readonly #changes = new EventEmitter();
  readonly #alive = new AbortController();
  readonly #inFlight = new Set<Request>();
  #leaving: Request | undefined;
  #answer: Response | undefined;
  #documents = 0;
  #loaded = false;

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => this.#started(request));
    page.on('requestfinished', (request) => this.#ended(request));
    page.on('requestfailed', (request) => {
      // A document that turned out to be a download, or empty, leaves the page where it was.
      if (request === this.#leaving) this.#leaving = undefined;
      this.#ended(request);
    });
    page.on('response', (response) => {
      if (this.#isDocument(response.request())) this.#answer = response;
    });
    page.on('domcontentloaded', () => {
      this.#leaving = undefined;
      this.#loaded = false;
      this.#documents += 1;
      this.#tell();
    });
    page.on('load', () => {
      this.#loaded = true;
      this.#tell();
    });
    page.on('crash', () => this.#alive.abort(new JobFailure('page_crashed')));
    page.on('close', () => this.#alive.abort(new JobFailure('connection_lost', 'The page was closed.')));
  }

  /** Ends with `page_crashed` or `connection_lost`: calls to a page that is gone may otherwise never return. */
  get gone(): AbortSignal {
    return this.#alive.signal;
  }

  /** The last answer to a request for the page's own document. */
  get answer(): Response | undefined {
    return this.#answer;
  }

  /** Where the page is going, or is. */
  get destination(): string {
    return this.#leaving?.url() ?? this.#page.url();
  }

  /** Counts documents: a number that changed means that another document took the page over. */
  get documents(): number {
    return this.#documents;
  }

  /** The page's document is parsed, and it is on its way nowhere. */
  get parsed(): boolean {
    return this.#documents > 0 && this.#leaving === undefined;
  }

  get loaded(): boolean {
    return this.#loaded && this.parsed;
  }

  /** A document whose end never comes, cut off or stopped by its own script, counts as parsed from here on. */
  takeAsItIs(): void {
    this.#leaving = undefined;
    this.#documents += 1;
    this.#tell();
  }

  requests(...types: readonly ResourceType[]): readonly Request[] {
    return [...this.#inFlight].filter((request) => types.length === 0 || types.includes(request.resourceType()));
  }

  /** Waits for a state of the page; ends when the bound does. */
  async until(bound: Deadline, state: () => boolean): Promise<void> {
    while (!state()) await once(this.#changes, 'change', { signal: bound.signal });
  }

  #started(request: Request): void {
    this.#inFlight.add(request);
    if (!this.#isDocument(request)) return;
    this.#leaving = request;
    this.#tell();
  }

  #ended(request: Request): void {
    this.#inFlight.delete(request);
    this.#tell();
  }

  #isDocument(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame();
  }

  #tell(): void {
    this.#changes.emit('change');
  }
}

/** Addresses as results may name them: without query and fragment, each once, a bounded number. */
export function listUrls(urls: readonly string[]): readonly string[] {
  return [...new Set(urls.map(plainUrl))].slice(0, LISTED);
}

/** The path of a blob's address is the origin that made it, and its number. */
function originOf(url: URL): string {
  return url.protocol === 'blob:' ? url.protocol : url.origin;
}

/** Cut to a length at which all that a result may name together stays far below the bound of a result row. */
export function plainUrl(address: string): string {
  if (!URL.canParse(address)) return '';
  const url = new URL(address);
  const plain = url.origin === 'null' ? url.protocol : `${originOf(url)}${url.pathname}`;
  return plain.slice(0, LONGEST_URL);
}
