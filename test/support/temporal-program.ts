import { thisMachine } from '../../infra/stack/index.js';
import { prepareTemporal } from '../../infra/stack/programs/temporal.js';

/** Temporal's own command line, where the set-up found or put it. */
export async function temporalProgram(): Promise<string> {
  return await prepareTemporal(thisMachine(() => undefined));
}
