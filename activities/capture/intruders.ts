import type { BrowserContext, CDPSession, Dialog, Download, Page } from 'playwright-core';
import type { Deadline } from '../deadline.js';
import { JobFailure, messageOf } from '../failure.js';
import { asFailure, ScriptError } from './classify.js';
import { NoAnswer } from './frames.js';

/** After so many dialogs a page counts as one that asks in a loop, and its script is ended. */
const DIALOG_PATIENCE = 20;
/**
 * After so many the page is given up: it starts loops faster than they end. One loop opens about five hundred, a second's
 * worth, until Chromium looks whether it is to end.
 */
const MOST_DIALOGS = 5_000;
const CLOSING_MS = 2_000;

export interface Suppressed {
  readonly dialogs: number;
  readonly popups: number;
  readonly downloads: number;
}

/** Whatever a page opens beside itself: dialogs are dismissed, popups and downloads closed, and all are counted. */
export class Intruders {
  readonly #cdp: CDPSession;
  readonly #closings = new Set<Promise<void>>();
  readonly #endless = new AbortController();
  #dialogs = 0;
  #popups = 0;
  #downloads = 0;
  #failure: unknown;

  constructor(context: BrowserContext, page: Page, cdp: CDPSession) {
    this.#cdp = cdp;
    context.on('dialog', (dialog) => this.#close(this.#answer(dialog)));
    context.on('page', (popup) => {
      if (popup === page) return;
      this.#popups += 1;
      this.#close(popup.close());
    });
    page.on('download', (download) => this.#close(this.#refuse(download)));
  }

  get counts(): Suppressed {
    return { dialogs: this.#dialogs, popups: this.#popups, downloads: this.#downloads };
  }

  /** Ends with `source_error` when the page opens dialogs without end: it does nothing else, and answers nothing. */
  get endless(): AbortSignal {
    return this.#endless.signal;
  }

  /** The failure of a page that was busy with its dialogs, which is what is wrong with it; any other error as it is. */
  explain(error: unknown): unknown {
    if (this.#dialogs <= DIALOG_PATIENCE || !(error instanceof NoAnswer || error instanceof ScriptError)) return error;
    return this.#withoutEnd();
  }

  /** Waits until what came up has been closed, so that nothing outlives the page. */
  async closed(deadline: Deadline): Promise<void> {
    await deadline.attempt(CLOSING_MS, async () => {
      while (this.#closings.size > 0) await Promise.all(this.#closings);
    });
    if (this.#failure !== undefined) throw asFailure(this.#failure);
  }

  async #answer(dialog: Dialog): Promise<void> {
    this.#dialogs += 1;
    // To dismiss this one would be to stay on the page.
    const leaving = dialog.type() === 'beforeunload';
    const endless = !leaving && this.#dialogs > DIALOG_PATIENCE;
    if (this.#dialogs > MOST_DIALOGS) this.#endless.abort(this.#withoutEnd());
    if (endless) {
      // The script is blocked in its dialog and hears of this only now and then, hence every time.
      this.#close(this.#cdp.send('Runtime.terminateExecution'));
    }
    // To an endless question, yes may be what it wants to hear.
    await (leaving || endless ? dialog.accept() : dialog.dismiss());
  }

  #withoutEnd(): JobFailure {
    return new JobFailure('source_error', `The page opens dialogs without end: ${String(this.#dialogs)} so far.`);
  }

  async #refuse(download: Download): Promise<void> {
    this.#downloads += 1;
    await download.cancel();
  }

  /** An intruder that has gone by itself, or with its page, is as good as closed. */
  #close(work: Promise<unknown>): void {
    const closing = work
      .then(() => undefined)
      .catch((error: unknown) => {
        // Kept until somebody asks: nobody waits here, and a rejection that nobody hears ends the process.
        if (!/closed|crashed|handled|no dialog|termination request/i.test(messageOf(error))) this.#failure ??= error;
      })
      .finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
  }
}
