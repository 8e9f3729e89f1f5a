import type { Evidence, EvidenceReport, Tail } from '../../workflows/contract/index.js';
import type { Deadline } from '../deadline.js';
import type { JobFailure } from '../failure.js';
import type { BlankPage } from './blank-page.js';
import { excerpt } from './excerpt.js';
import type { CaptureSession } from './kind.js';
import { plainUrl } from './page-watch.js';

/** Entries of each list that are kept: the end of what happened, since what failed came last. */
const KEPT = 50;
const LONGEST_TEXT = 500;
/** Of the time that a stopped attempt has before its slot is killed. */
const PICTURE_MS = 700;

/** Remembers what a page said and did not get, so that a failure can be understood after its session is gone. */
export class Witness {
  readonly #opened: BlankPage;
  readonly #console = new Ring<EvidenceReport['console']['last'][number]>();
  readonly #errors = new Ring<EvidenceReport['errors']['last'][number]>();
  readonly #requests = new Ring<EvidenceReport['requests']['last'][number]>();

  constructor(opened: BlankPage) {
    this.#opened = opened;
    const { page } = opened; // Not its context: a popup may be anybody's.
    page.on('console', (message) => {
      const { url, line } = message.location();
      this.#console.add({
        type: message.type(),
        text: excerpt(message.text(), LONGEST_TEXT),
        url: plainUrl(url),
        line,
      });
    });
    page.on('pageerror', (error) => this.#errors.add({ message: excerpt(error.message, LONGEST_TEXT) }));
    page.on('requestfailed', (request) => {
      this.#requests.add({
        method: request.method(),
        url: plainUrl(request.url()),
        type: request.resourceType(),
        problem: request.failure()?.errorText ?? 'failed',
      });
    });
    page.on('response', (response) => {
      if (response.status() < 400) return;
      const request = response.request();
      this.#requests.add({
        method: request.method(),
        url: plainUrl(request.url()),
        type: request.resourceType(),
        problem: String(response.status()),
      });
    });
  }

  /** Whether the page is where the job may look: a document of another origin is nobody's evidence. */
  isAt(origin: string): boolean {
    const address = this.#opened.page.url();
    return address === 'about:blank' || (URL.canParse(address) && new URL(address).origin === origin);
  }

  /**
   * Stores what is known of the failure; without a picture when the job hides or masks something, since that may not be
   * covered yet. Fails with `storage_unavailable`.
   */
  async testify(
    bound: Deadline,
    failure: JobFailure,
    job: { readonly id: string; readonly attempt: number; readonly isCovered: boolean },
    store: CaptureSession['store'],
  ): Promise<Evidence> {
    const report: EvidenceReport = {
      v: 1,
      job: job.id,
      attempt: job.attempt,
      code: failure.code,
      message: failure.message,
      url: plainUrl(this.#opened.page.url()),
      console: this.#console.tail,
      errors: this.#errors.tail,
      requests: this.#requests.tail,
    };
    const bytes = job.isCovered ? undefined : await this.#picture(bound);
    const [stored, picture] = await bound.race(
      Promise.all([
        store('evidence.json', Buffer.from(JSON.stringify(report)), 'application/json'),
        bytes === undefined ? null : store('evidence.jpg', bytes, 'image/jpeg'),
      ]),
    );
    return { report: stored, picture };
  }

  /** A page that crashed or hangs draws nothing: then the words have to do. */
  async #picture(bound: Deadline): Promise<Buffer | undefined> {
    const { cdp } = this.#opened;
    const drawn = cdp.send('Page.captureScreenshot', { format: 'jpeg', quality: 60 });
    try {
      const answer = await bound.attempt(PICTURE_MS, async () => await drawn);
      return answer === undefined ? undefined : Buffer.from(answer.data, 'base64');
    } catch {
      return undefined; // The page's failure is being told already; that it cannot be drawn is told by the missing picture.
    }
  }
}

class Ring<T> {
  readonly #kept: T[] = [];
  #total = 0;

  add(entry: T): void {
    this.#total += 1;
    this.#kept.push(entry);
    if (this.#kept.length > KEPT) this.#kept.shift();
  }

  get tail(): Tail<T> {
    return { total: this.#total, last: [...this.#kept] };
  }
}
