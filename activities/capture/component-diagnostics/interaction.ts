import type { Scenario } from '../../../workflows/contract/index.js';
import { JobFailure } from '../../failure.js';
import type { Visit } from '../visit.js';

export type Interaction = NonNullable<Scenario['interaction']>;

/** Brings the component into the state of its scenario, with a real pointer, once its element is there. Fails with `selector_not_found` after `ms`. */
export async function interact(
  { bound, page }: Visit,
  { type, selector }: Interaction,
  root: string | null,
  ms: number,
): Promise<void> {
  const asked = selector ?? (root === null ? undefined : `${root} > *`);
  if (asked === undefined) {
    throw new JobFailure('selector_not_found', 'The host names no root, and the interaction no selector.');
  }
  const element = page.locator(asked).first();
  const done = await bound.attempt(ms, async () => {
    if (type === 'focus') await element.focus({ timeout: 0 });
    else await element.hover({ timeout: 0 });
    if (type === 'active') await page.mouse.down();
    return true;
  });
  if (done !== true) throw new JobFailure('selector_not_found', `Nothing to ${type}: ${asked}`);
}
