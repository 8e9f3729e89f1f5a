import type { Finding } from '../../../workflows/contract/index.js';
import { isMoved, ScriptError } from '../classify.js';
import type { PageFrame } from '../frames.js';
import { callInPage } from '../in-page/index.js';
import type { Visit } from '../visit.js';
import { placed, placeOf } from './frame-place.js';
import { add, type Tally } from './tally.js';

export interface Judged {
  readonly findings: readonly Finding[];
  /** True counts by rule: of each frame a rule keeps the first findings only. */
  readonly totals: Readonly<Record<string, number>>;
}

const FRAMES = 20;
const FRAME_MS = 5_000;
const PER_RULE = 50;

/** Judges the layout of the main frame and of its first frames; boxes are those of the main document. */
export async function judgeLayout(visit: Visit, { touch }: { readonly touch: boolean }): Promise<Judged> {
  const script = callInPage('layout', { touch, perRule: PER_RULE });
  const { bound, frames } = visit;
  const main = await frames.callMain<Judged>(bound, script);
  const children = await frames.children(bound);
  const others = await Promise.all(
    children.slice(0, FRAMES).map(async (frame) => await judgeChild(visit, frame, script)),
  );
  return others.reduce<Judged>((whole, part) => (part === undefined ? whole : join(whole, part)), main);
}

/** A frame that is hidden, gone or does not answer is not part of what the page shows. */
async function judgeChild(visit: Visit, frame: PageFrame, script: string): Promise<Judged | undefined> {
  return await visit.bound.attempt(FRAME_MS, async (limit) => {
    try {
      const place = await placeOf(limit, visit.frames, frame);
      if (place === null) return undefined;
      const { findings, totals } = await visit.frames.call<Judged>(limit, frame, script);
      return { totals, findings: findings.map((finding) => placed(finding, place)) };
    } catch (error) {
      if (isMoved(error) || error instanceof ScriptError) return undefined;
      throw error;
    }
  });
}

function join(whole: Judged, part: Judged): Judged {
  const totals: Tally = { ...whole.totals };
  for (const [rule, count] of Object.entries(part.totals)) add(totals, rule, count);
  return { findings: [...whole.findings, ...part.findings], totals };
}
