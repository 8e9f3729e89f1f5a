import type { Finding, RequestEntry, Severity } from '../../../workflows/contract/index.js';
import type { Observed } from './observer.js';

const CONSOLE: Readonly<Record<string, Severity>> = { error: 'error', assert: 'error', warning: 'warning' };

/** The browser's own echo of a request that failed: the request is told itself, with more. */
const ECHO = 'Failed to load resource';

const REQUESTS: Readonly<Record<RequestEntry['problem'], { readonly rule: string; readonly severity: Severity }>> = {
  failed: { rule: 'request-failed', severity: 'error' },
  blocked: { rule: 'request-blocked', severity: 'warning' },
  http_error: { rule: 'request-http-error', severity: 'error' },
  slow: { rule: 'request-slow', severity: 'warning' },
  mixed_content: { rule: 'mixed-content', severity: 'error' },
};

/** What a page said and did not get, as findings. */
export function findingsOf({ console: said, errors, requests }: Observed): Finding[] {
  return [
    ...errors.items.map(({ message, url, line, column }): Finding => ({
      rule: 'page-error',
      severity: 'error',
      message,
      source: { url, line, column },
    })),
    ...said.items.flatMap(({ type, text, url, line, column }): Finding[] => {
      const severity = CONSOLE[type];
      if (severity === undefined || text.startsWith(ECHO)) return [];
      return [{ rule: `console-${severity}`, severity, message: text, source: { url, line, column } }];
    }),
    ...requests.remarkable.items.map((request): Finding => {
      return { ...REQUESTS[request.problem], message: describe(request), url: request.url };
    }),
  ];
}

function describe({ method, type, status, error, ms }: RequestEntry): string {
  const what = `${method} of a ${type}`;
  if (status !== null) return `${what} was answered with ${String(status)}.`;
  return ms === null ? `${what} failed: ${error ?? ''}.` : `${what} took ${String(ms)} ms.`;
}
