import type { Capped, PageReport } from '../../../workflows/contract/index.js';

export const MOST_REPORT_BYTES = 256 * 1024;

/** The report as JSON of at most so many bytes: while it is too long, every list is cut to half of its items. */
export function reportText(report: PageReport, bytes = MOST_REPORT_BYTES): string {
  let most = 500;
  let text = JSON.stringify(shortened(report, most));
  while (Buffer.byteLength(text) > bytes && most > 1) {
    most = Math.floor(most / 2);
    text = JSON.stringify(shortened(report, most));
  }
  return text;
}

function shortened(report: PageReport, most: number): PageReport {
  const { findings, console: said, errors, requests, fonts } = report;
  return {
    ...report,
    findings: cut(findings, most),
    console: cut(said, most),
    errors: cut(errors, most),
    requests: { ...requests, remarkable: cut(requests.remarkable, most) },
    fonts: { used: cut(fonts.used, most), missing: cut(fonts.missing, most) },
  };
}

function cut<T>({ total, items }: Capped<T>, most: number): Capped<T> {
  return { total, items: items.slice(0, most) };
}
