import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ImpactValue } from 'axe-core';
import type { Finding, PageReport, Severity } from '../../../workflows/contract/index.js';
import { messageOf } from '../../failure.js';
import type { PageFrame } from '../frames.js';
import { plainUrl } from '../page-watch.js';
import type { Visit } from '../visit.js';
import { placed, placeOf } from './frame-place.js';
import { add, type Tally } from './tally.js';

export interface Accessibility {
  readonly findings: readonly Finding[];
  readonly totals: Readonly<Record<string, number>>;
  readonly summary: PageReport['accessibility'];
}

const FRAMES = 20;
/** Of a page with tens of thousands of elements; then the frame counts as unchecked. */
const FRAME_MS = 15_000;
const PER_RULE = 20;

/** What keeps somebody from using the page is an error; the rest is graded as axe-core grades it. */
const SEVERITY: Readonly<Record<Exclude<ImpactValue, null>, Severity>> = {
  critical: 'error',
  serious: 'warning',
  moderate: 'info',
  minor: 'info',
};

/** Every frame by itself: a frame of another site lets nobody look into it from outside. */
function run(rulesOff: readonly string[]): string {
  const rules = Object.fromEntries(rulesOff.map((id) => [id, { enabled: false }]));
  const options = { iframes: false, elementRef: true, resultTypes: ['violations'], rules };
  return `axe.run(document, ${JSON.stringify(options)}).then((results) => ({
  version: results.testEngine.version,
  violations: results.violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help, total: nodes.length,
    nodes: nodes.slice(0, ${String(PER_RULE)}).map(({ target, element }) => {
      const { left, top, width, height } = Element.prototype.getBoundingClientRect.call(element);
      return { selector: target.join(' '), box: { x: left + scrollX, y: top + scrollY, width, height } };
    }),
  })),
}))`;
}

interface Checked {
  readonly version: string;
  readonly violations: readonly {
    readonly id: string;
    readonly impact: ImpactValue;
    readonly help: string;
    readonly total: number;
    readonly nodes: readonly Pick<Finding, 'selector' | 'box'>[];
  }[];
}

/** Runs axe-core in every frame. A frame that cannot be checked is named, and fails nothing. */
export async function checkAccessibility(visit: Visit, rulesOff: readonly string[] = []): Promise<Accessibility> {
  const script = run(rulesOff);
  const { bound, frames: all } = visit;
  const frames = [await all.main(bound), ...(await all.children(bound))];
  const unchecked = frames.slice(FRAMES).map((frame) => plainUrl(frame.url));
  const byImpact: Tally = {};
  const totals: Tally = {};
  const findings: Finding[] = [];
  let engine = 'axe-core';
  for (const frame of frames.slice(0, FRAMES)) {
    const checked = await checkFrame(visit, frame, script);
    if (checked === 'hidden') continue;
    if (checked === undefined) {
      unchecked.push(plainUrl(frame.url));
      continue;
    }
    engine = `axe-core ${checked.version}`;
    for (const { id, impact, total } of checked.violations) {
      add(byImpact, impact ?? 'minor', total);
      add(totals, `axe:${id}`, total);
    }
    findings.push(...checked.findings);
  }
  return { findings, totals, summary: { engine, byImpact, unchecked } };
}

type Outcome = (Checked & { readonly findings: readonly Finding[] }) | 'hidden' | undefined;

async function checkFrame({ bound, frames }: Visit, frame: PageFrame, script: string): Promise<Outcome> {
  return await bound.attempt<Outcome>(FRAME_MS, async (limit) => {
    try {
      const place = await placeOf(limit, frames, frame);
      if (place === null) return 'hidden';
      await frames.call(limit, frame, axeSource());
      const checked = await frames.call<Checked>(limit, frame, script);
      return { ...checked, findings: findingsOf(checked).map((finding) => placed(finding, place)) };
    } catch (error) {
      // Its page may forbid it, be a picture, or have no scripts; whether the page itself has died is told elsewhere.
      if (/closed|crashed|disconnected/i.test(messageOf(error))) throw error;
      return undefined;
    }
  });
}

function findingsOf({ violations }: Checked): Finding[] {
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map((node) => ({ rule: `axe:${id}`, severity: SEVERITY[impact ?? 'minor'], message: help, ...node })),
  );
}

let source: string | undefined;

function axeSource(): string {
  // It must not give itself as its value, which is no data.
  source ??= `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}\n;null`;
  return source;
}
