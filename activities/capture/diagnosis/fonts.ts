import type { Finding, PageReport } from '../../../workflows/contract/index.js';
import { callInPage } from '../in-page/index.js';
import type { Visit } from '../visit.js';
import { capped } from './capped-list.js';

export interface Fonts {
  readonly findings: readonly Finding[];
  readonly summary: PageReport['fonts'];
}

const STACKS = 30;
const LISTED = 50;
const FONTS_MS = 5_000;
const GENERIC =
  /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-\w+|math|emoji|fangsong|-apple-system|BlinkMacSystemFont)$/i;

interface Drawn {
  readonly familyName: string;
  readonly isCustomFont: boolean;
  readonly glyphCount: number;
}

/** Which fonts the browser really draws with: one element of every font stack is looked at, in the main frame. */
export async function lookAtFonts(visit: Visit): Promise<Fonts> {
  const { bound, frames } = visit;
  const script = callInPage('families', { most: STACKS });
  const stacks = await frames.callMain<{ stack: string; selector: string }[]>(bound, script);
  const used = new Map<string, { family: string; glyphs: number; isCustom: boolean }>();
  const missing: { family: string; instead: readonly string[]; selector: string }[] = [];
  await visit.bound.attempt(FONTS_MS, async () => {
    await visit.cdp.send('DOM.enable');
    await visit.cdp.send('CSS.enable');
    for (const { stack, selector } of stacks) {
      const drawn = await drawnWith(visit, selector);
      for (const { familyName, isCustomFont, glyphCount } of drawn) {
        const sum = used.get(familyName) ?? { family: familyName, glyphs: 0, isCustom: isCustomFont };
        used.set(familyName, { ...sum, glyphs: sum.glyphs + glyphCount });
      }
      const family = firstFamily(stack);
      const instead = drawn.map(({ familyName }) => familyName);
      const isHad = GENERIC.test(family) || instead.some((name) => name.toLowerCase() === family.toLowerCase());
      if (!isHad && instead.length > 0 && !missing.some((one) => one.family === family)) {
        missing.push({ family, instead, selector });
      }
    }
  });
  const findings = missing.map(({ family, instead, selector }): Finding => ({
    rule: 'font-missing',
    severity: 'info',
    message: `${family} is not there; drawn with ${instead.join(', ')}.`,
    selector,
  }));
  return { findings, summary: { used: capped([...used.values()], LISTED), missing: capped(missing, LISTED) } };
}

async function drawnWith({ cdp }: Visit, selector: string): Promise<readonly Drawn[]> {
  const { root } = await cdp.send('DOM.getDocument', { depth: 0 });
  const { nodeId } = await cdp.send('DOM.querySelector', { nodeId: root.nodeId, selector });
  if (nodeId === 0) return []; // It has gone since it was listed.
  const { fonts } = await cdp.send('CSS.getPlatformFontsForNode', { nodeId });
  return fonts;
}

function firstFamily(stack: string): string {
  const [first = ''] = /^\s*("[^"]*"|'[^']*'|[^,]*)/.exec(stack) ?? [];
  return first.trim().replace(/^["']|["']$/g, '');
}
