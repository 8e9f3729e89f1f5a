import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Every way in which a job goes that leaves a history of its own shape, by workflow type. `record.ts` records each of
 * them, and `replay.test.ts` fails when one is missing.
 */
export const OUTCOMES = {
  pageScreenshot: [
    'succeeded',
    'queued_then_granted',
    'refused_then_granted',
    'worker_lost_then_succeeded',
    'running',
    'cancelled_queued',
    'cancelled_connecting',
    'cancelled_capturing',
    'reset_queued',
    'reset_capturing',
    'terminated',
    'invalid_input',
    'target_forbidden',
    'queue_full',
    'workspace_queue_full',
    'user_queue_full',
    'queue_timeout',
    'browser_unavailable',
    'node_auth_failed',
    'connect_timeout',
    'target_gone',
    'http_error',
    'selector_not_found',
    'attempt_timeout',
    'deadline_exceeded',
  ],
  // All kinds have one lifecycle: of the others the two ends are enough.
  pageDiagnostics: ['succeeded', 'target_gone'],
  componentDiagnostics: ['succeeded', 'target_gone'],
  // One activity, whatever it answers.
  consumeResult: ['consumed'],
  // The second goes on where the first stopped.
  sweep: ['first', 'next'],
} as const;

export type OutcomeName = (typeof OUTCOMES)[keyof typeof OUTCOMES][number];

export const HISTORIES = fileURLToPath(new URL('./histories/', import.meta.url));

/** File name of one golden history. */
export function historyFile(workflowType: string, outcome: string): string {
  return `${workflowType}.${outcome}.json`;
}

/** All golden histories there are, by file name. */
export function goldens(): ReadonlyMap<string, string> {
  const files = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));
  return new Map(files.map((name) => [name, readFileSync(`${HISTORIES}${name}`, 'utf8')]));
}
