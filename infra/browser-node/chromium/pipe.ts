import type { Duplex, Readable, Writable } from 'node:stream';

/** Longest message taken from or handed to a browser; a 16,384 px PNG in base64 stays well below. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

const END_OF_MESSAGE = 0;
const TERMINATOR = Buffer.from([END_OF_MESSAGE]);

export type PipeListener = {
  message(message: Buffer): void;
  /** The browser takes more again after `send` returned false. */
  drained(): void;
  /** The stream ended; `tooBig` when a message passed the bound. */
  ended(why: 'closed' | 'tooBig'): void;
};

/** Chromium's debugging pipe: whole messages separated by NUL, never parsed here. */
export class DevtoolsPipe {
  #listener: PipeListener | undefined;
  #parts: Buffer[] = [];
  #partBytes = 0;
  #ended: 'closed' | 'tooBig' | undefined;
  readonly #toBrowser: Writable;
  readonly #fromBrowser: Readable;

  constructor(toBrowser: Duplex, fromBrowser: Duplex) {
    this.#toBrowser = toBrowser;
    this.#fromBrowser = fromBrowser;
    fromBrowser.on('data', (chunk: Buffer) => this.#take(chunk));
    fromBrowser.on('end', () => this.#end('closed'));
    fromBrowser.on('close', () => this.#end('closed'));
    toBrowser.on('close', () => this.#end('closed'));
    toBrowser.on('drain', () => this.#listener?.drained());
    // EPIPE and ECONNRESET say that the browser is gone; `close` follows and tells the listener.
    fromBrowser.on('error', () => this.#end('closed'));
    toBrowser.on('error', () => this.#end('closed'));
  }

  listen(listener: PipeListener): void {
    this.#listener = listener;
    if (this.#ended !== undefined) listener.ended(this.#ended);
  }

  /** Returns false when the caller should wait for `drained`. */
  send(message: Buffer | string): boolean {
    if (this.#ended !== undefined || !this.#toBrowser.writable) return true;
    // One system call for the message and its terminator, and no copy of a message of many megabytes.
    this.#toBrowser.cork();
    this.#toBrowser.write(message);
    const more = this.#toBrowser.write(TERMINATOR);
    this.#toBrowser.uncork();
    return more;
  }

  pause(): void {
    this.#fromBrowser.pause();
  }

  resume(): void {
    this.#fromBrowser.resume();
  }

  destroy(): void {
    this.#fromBrowser.destroy();
    this.#toBrowser.destroy();
  }

  #take(chunk: Buffer): void {
    let start = 0;
    let end = chunk.indexOf(END_OF_MESSAGE);
    while (end !== -1) {
      this.#deliver(chunk.subarray(start, end));
      start = end + 1;
      end = chunk.indexOf(END_OF_MESSAGE, start);
    }
    if (start === chunk.length) return;
    this.#parts.push(start === 0 ? chunk : chunk.subarray(start));
    this.#partBytes += chunk.length - start;
    if (this.#partBytes > MAX_MESSAGE_BYTES) this.#end('tooBig');
  }

  #deliver(last: Buffer): void {
    if (this.#parts.length === 0) {
      this.#listener?.message(last);
      return;
    }
    const message = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#partBytes = 0;
    this.#listener?.message(message);
  }

  #end(why: 'closed' | 'tooBig'): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#parts = [];
    this.#listener?.ended(why);
  }
}
