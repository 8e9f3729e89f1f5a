import { findChromium, NodeError, type ChromiumBinary } from '../../browser-node/index.js';
import { installPackages, whyNotInstallable } from './debian.js';
import type { Machine } from './machine.js';
import { ProgramError } from './program-error.js';

/** Twice as fast as the full browser in its headless mode. */
const PACKAGE = 'chromium-headless-shell';
const SETTING = 'DARKROOM_NODE_CHROMIUM';

/**
 * The path of the browser that nodes run: from the setting, Playwright's own, PATH, Debian's package (installed as
 * root after saying so), or the copy in an npm package.
 *
 * @throws ProgramError when none of them has it
 */
export async function prepareChromium(machine: Machine): Promise<string> {
  const found = await search(machine);
  if ('path' in found && found.source !== 'package') return found.path;

  const hindrance = await installHindrance(machine);
  if (hindrance === undefined) {
    const installed = await search(machine);
    if ('path' in installed) return installed.path;
  }
  if ('path' in found) return found.path;
  throw new ProgramError('Chromium', {
    tried: [found.problem, `Debian's package ${PACKAGE}: ${hindrance ?? 'installed, but not found afterwards'}`],
    advice: `Install Chromium or Chrome's headless shell, or set ${SETTING} to the path of the program.`,
  });
}

async function search({ env }: Machine): Promise<ChromiumBinary | { readonly problem: string }> {
  const setting = env[SETTING];
  try {
    return await findChromium(setting === '' ? undefined : setting);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (setting === undefined || setting === '') return { problem: error.message };
    throw new ProgramError('Chromium', {
      tried: [error.message],
      advice: `Correct ${SETTING}, or remove it to let Darkroom look for the program.`,
    });
  }
}

/** Installs the package; the reason when that is not possible. */
async function installHindrance(machine: Machine): Promise<string | undefined> {
  const hindrance = await whyNotInstallable(machine);
  if (hindrance !== undefined) return hindrance;
  try {
    await installPackages([PACKAGE], machine);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
