import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { NodeError } from '../errors.js';

export type ChromiumBinary = {
  path: string;
  source: 'setting' | 'playwright' | 'system' | 'package';
  /** A headless shell renders more than twice as fast and needs no `--headless=new`. */
  headlessShell: boolean;
};

const SYSTEM_NAMES = ['chrome-headless-shell', 'chromium-headless-shell', 'chromium', 'google-chrome'];

/**
 * Finds the browser to run: the setting, Playwright's own, the system's, the copy in an npm package.
 *
 * @param setting path given by the operator; when given, nothing else is tried
 * @throws NodeError `browser_not_found`, naming every place that was tried
 */
export async function findChromium(setting?: string): Promise<ChromiumBinary> {
  if (setting !== undefined) {
    if (await isProgram(setting)) return binary(setting, 'setting');
    throw new NodeError('browser_not_found', `No browser: ${setting} (setting) is not an executable file`);
  }
  const tried: string[] = [];
  const own = await playwrightPath();
  tried.push(`Playwright's own (${own ?? 'none installed'})`);
  if (own !== undefined && (await isProgram(own))) return binary(own, 'playwright');

  const system = await onPath(SYSTEM_NAMES);
  if (system !== undefined) return binary(system, 'system');
  tried.push(`${SYSTEM_NAMES.join(', ')} on PATH`);

  const packaged = await packagedPath();
  if (packaged.path !== undefined && (await isProgram(packaged.path))) return binary(packaged.path, 'package');
  tried.push(`npm package @sparticuz/chromium (${packaged.path ?? packaged.problem})`);
  throw new NodeError('browser_not_found', `No browser. Tried: ${tried.join('; ')}`);
}

function binary(path: string, source: ChromiumBinary['source']): ChromiumBinary {
  const headlessShell = source === 'package' || /headless[-_]shell/.test(basename(path));
  return { path, source, headlessShell };
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

async function onPath(names: string[]): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    for (const folder of folders) {
      const candidate = join(folder, name);
      if (await isProgram(candidate)) return candidate;
    }
  }
  return undefined;
}

// Loading playwright-core takes a good part of a second, so only where it may have a browser to tell of.
async function playwrightPath(): Promise<string | undefined> {
  const folder = playwrightFolder();
  if (folder !== undefined && !(await exists(folder))) return undefined;
  try {
    const { chromium } = await import('playwright-core');
    return chromium.executablePath();
  } catch {
    return undefined;
  }
}

/** Where Playwright keeps its browsers; undefined when that is for Playwright to say. */
function playwrightFolder(): string | undefined {
  const set = process.env['PLAYWRIGHT_BROWSERS_PATH'];
  if (set !== undefined && set !== '') return set === '0' ? undefined : set;
  if (process.platform === 'linux')
    return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ms-playwright');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'ms-playwright');
  return undefined;
}

// Optional package: the specifier is a variable so that the build does not ask for it.
async function packagedPath(): Promise<{ path?: string; problem: string }> {
  const specifier = '@sparticuz/chromium';
  try {
    const loaded: unknown = await import(specifier);
    return { path: await unpack(loaded), problem: '' };
  } catch (error) {
    return { problem: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
}

async function unpack(loaded: unknown): Promise<string> {
  const exported = property(loaded, 'default');
  const executablePath = property(exported, 'executablePath');
  if (typeof executablePath !== 'function') throw new Error('it has no executablePath()');
  const path: unknown = await executablePath.call(exported);
  if (typeof path !== 'string') throw new Error('its executablePath() gave no path');
  return path;
}

function property(value: unknown, name: string): unknown {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined;
  return Reflect.get(value, name);
}
