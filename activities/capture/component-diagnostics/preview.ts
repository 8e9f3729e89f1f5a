import { setTimeout as pause } from 'node:timers/promises';
import {
  PREVIEW_PROTOCOL,
  type ComponentDiagnosticsInput,
  type PreviewRequest,
  type Scenario,
} from '../../../workflows/contract/index.js';
import { callInPage } from '../in-page/index.js';
import type { Visit } from '../visit.js';

/** What a host has answered so far. `silent`: it has set no promise. */
export type PreviewAnswer =
  | { readonly state: 'silent' | 'pending' }
  | { readonly state: 'ready'; readonly root: string | null }
  | { readonly state: 'failed'; readonly name: string; readonly message: string; readonly stack: string };

/** How a host says, by the name of the error it rejects with, that it cannot tell now. */
export const UNAVAILABLE = 'DarkroomUnavailable';
const POLL_MS = 25;
/** Of one that changes for ever, a clock for example. */
const CALM_MS = 15_000;

/** The host's address for one scenario. A fragment is never sent to a server, survives redirects, and opens by hand. */
export function previewUrl(host: URL, component: ComponentDiagnosticsInput['component'], scenario: Scenario): URL {
  const request: PreviewRequest = {
    v: PREVIEW_PROTOCOL,
    component: component ?? null,
    scenario: scenario.id,
    preset: scenario.preset ?? null,
    props: scenario.props ?? null,
  };
  const url = new URL(host);
  url.hash = `darkroom=${encodeURIComponent(JSON.stringify(request))}`;
  return url;
}

/** What a host's page has to have before its own scripts run. */
export function previewScript(): string {
  return callInPage('preview', null);
}

/** Waits for the host's word; after `ms` gives what it has said until then. */
export async function awaitPreview({ bound, frames }: Visit, ms: number): Promise<PreviewAnswer> {
  let answer: PreviewAnswer = { state: 'silent' };
  await bound.attempt(ms, async (limit) => {
    for (;;) {
      answer = await frames.callAmongTheirs<PreviewAnswer>(limit, previewScript());
      if (answer.state === 'ready' || answer.state === 'failed') return;
      await pause(POLL_MS, undefined, { signal: limit.signal });
    }
  });
  return answer;
}

/** Waits until the document has stood still for `quietMs`; one that never does is taken as it is. */
export async function awaitCalm({ bound, frames }: Visit, quietMs: number): Promise<void> {
  if (quietMs === 0) return;
  await bound.attempt(CALM_MS, async (limit) => {
    await frames.callMain(limit, callInPage('calm', { ms: quietMs }));
  });
}
