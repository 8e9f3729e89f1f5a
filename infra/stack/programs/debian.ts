import { longStep, runCommand } from './long-step.js';
import { findOnPath, type Machine } from './machine.js';

const INSTALL_WITHIN_MS = 900_000;

/** Undefined when Debian packages can be installed here; else why not. */
export async function whyNotInstallable(machine: Machine): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'this is not Linux';
  if ((await findOnPath('apt-get', machine)) === undefined) return 'there is no apt-get';
  return machine.isRoot ? undefined : 'this user is not root';
}

/** Installs packages after saying so. The lists are fetched only when the packages cannot be had without. */
export async function installPackages(packages: readonly string[], machine: Machine): Promise<void> {
  // Another apt may be at work, such as a second set-up: wait for it instead of failing.
  const options = ['-o', 'DPkg::Lock::Timeout=600', '-o', 'Acquire::Retries=3', '-q', '-y'];
  const aptGet = (...args: readonly string[]): Promise<string> =>
    runCommand('apt-get', [...options, ...args], {
      env: { ...machine.env, DEBIAN_FRONTEND: 'noninteractive' },
      withinMs: INSTALL_WITHIN_MS,
    });
  const install = (): Promise<string> => aptGet('install', '--no-install-recommends', ...packages);
  await longStep(`installing the Debian packages ${packages.join(', ')}`, machine, async () => {
    try {
      await install();
    } catch {
      await aptGet('update'); // Fresh images carry no lists, old lists name versions that are gone.
      await install();
    }
  });
}
