import type { PageReport } from '../../../workflows/contract/index.js';
import { jsonWithin, shortened, shorter } from '../diagnosis/index.js';

const MOST_REPORT_BYTES = 256 * 1024;

/** The report as JSON, within its bound. */
export function reportText(report: PageReport): string {
  const { used, missing } = report.fonts;
  return jsonWithin(MOST_REPORT_BYTES, (most) => ({
    ...shortened(report, most),
    fonts: { used: shorter(used, most), missing: shorter(missing, most) },
  }));
}
