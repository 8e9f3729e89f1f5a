import type { PagePerformance } from '../../../workflows/contract/index.js';
import { callInPage } from '../in-page/index.js';
import type { Visit } from '../visit.js';

const PERFORMANCE_MS = 2_000;

/** What the browser measured while the page loaded; null where the page's scripts are off or hang. */
export async function measurePerformance({ bound, frames }: Visit): Promise<PagePerformance | null> {
  const measured = await bound.attempt(
    PERFORMANCE_MS,
    async (limit) => await frames.callMain<PagePerformance>(limit, callInPage('performance', null)),
  );
  return measured ?? null;
}
