import { prepareChromium } from './chromium.js';
import { prepareFonts } from './fonts.js';
import type { Machine } from './machine.js';
import { prepareTemporal } from './temporal.js';

export { thisMachine, type Machine } from './machine.js';
export { ProgramError } from './program-error.js';

export interface Programs {
  readonly temporal: string;
  readonly chromium: string;
}

/**
 * Finds every program that the stack needs and installs what is missing. Postgres is not among them: it comes with
 * the npm packages.
 *
 * @throws ProgramError for the first that cannot be had
 */
export async function preparePrograms(machine: Machine): Promise<Programs> {
  const [temporal, chromium] = await Promise.all([
    prepareTemporal(machine),
    // One after the other: both may need apt.
    prepareChromium(machine).then(async (path) => {
      await prepareFonts(machine);
      return path;
    }),
  ]);
  return { temporal, chromium };
}
