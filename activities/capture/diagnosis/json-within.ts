import type { Capped, Finding, PageReport } from '../../../workflows/contract/index.js';

/** What every diagnosis lists. */
type Lists = Pick<PageReport, 'console' | 'errors' | 'requests'> & { readonly findings: Capped<Finding> };

/** Items of one list that are kept when there is room for all. */
const MOST_ITEMS = 500;

/** The value as JSON of at most so many bytes: while it is too long, it is made anew with half as many items a list. */
export function jsonWithin(bytes: number, make: (most: number) => unknown): string {
  let most = MOST_ITEMS;
  let text = JSON.stringify(make(most));
  while (Buffer.byteLength(text) > bytes && most > 0) {
    most = Math.floor(most / 2);
    text = JSON.stringify(make(most));
  }
  return text;
}

export function shortened<T extends Lists>(report: T, most: number): T {
  const { findings, console: said, errors, requests } = report;
  return {
    ...report,
    findings: shorter(findings, most),
    console: shorter(said, most),
    errors: shorter(errors, most),
    requests: { ...requests, remarkable: shorter(requests.remarkable, most) },
  };
}

export function shorter<T>({ total, items }: Capped<T>, most: number): Capped<T> {
  return { total, items: items.slice(0, most) };
}
