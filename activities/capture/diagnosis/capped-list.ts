import type { Capped } from '../../../workflows/contract/index.js';

/** Keeps the first entries and counts all: a page may say a thing for ever. */
export class CappedList<T> {
  readonly #most: number;
  readonly #items: T[] = [];
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(item: T): void {
    this.#total += 1;
    if (this.#items.length < this.#most) this.#items.push(item);
  }

  get list(): Capped<T> {
    return { total: this.#total, items: [...this.#items] };
  }
}

export function capped<T>(items: readonly T[], most: number): Capped<T> {
  return { total: items.length, items: items.slice(0, most) };
}
