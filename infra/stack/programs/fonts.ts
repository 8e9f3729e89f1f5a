import { installPackages, whyNotInstallable } from './debian.js';
import { runCommand } from './long-step.js';
import { findOnPath, type Machine } from './machine.js';
import { ProgramError } from './program-error.js';

/** What pages need, asked by what a font covers, since other systems name and pack their fonts differently. */
const FONTS = [
  {
    what: 'Chinese, Japanese and Korean',
    patterns: [':lang=zh-cn', ':lang=ja', ':lang=ko'],
    package: 'fonts-noto-cjk',
  },
  { what: 'emoji', patterns: [':lang=und-zsye'], package: 'fonts-noto-color-emoji' },
  { what: "Arial's widths", patterns: ['Liberation Sans', 'Arimo', 'Arial'], any: true, package: 'fonts-liberation' },
] as const;

/**
 * Makes sure that text is drawn with glyphs instead of boxes. Outside Linux the system's own fonts are trusted.
 *
 * @throws ProgramError when fonts are missing and cannot be installed
 */
export async function prepareFonts(machine: Machine): Promise<void> {
  if (process.platform !== 'linux') return;
  const missing = await missingFonts(machine);
  if (missing.length === 0) return;

  const packages = ['fontconfig', ...missing.map((font) => font.package)];
  const hindrance = await whyNotInstallable(machine);
  if (hindrance === undefined) {
    await installPackages(packages, machine);
    if ((await missingFonts(machine)).length === 0) return;
  }
  throw new ProgramError(`Fonts for ${missing.map((font) => font.what).join(', ')}`, {
    tried: ['`fc-list` on this system', `Debian's packages: ${hindrance ?? 'installed, but not found afterwards'}`],
    advice: `Install the fonts that the Debian packages ${packages.join(', ')} hold.`,
  });
}

async function missingFonts(machine: Machine): Promise<(typeof FONTS)[number][]> {
  if ((await findOnPath('fc-list', machine)) === undefined) return [...FONTS];
  const missing = await Promise.all(
    FONTS.map(async (font) => {
      const there = await Promise.all(font.patterns.map((pattern) => isCovered(pattern, machine)));
      const covered = 'any' in font ? there.includes(true) : !there.includes(false);
      return covered ? [] : [font];
    }),
  );
  return missing.flat();
}

async function isCovered(pattern: string, { env }: Machine): Promise<boolean> {
  const list = await runCommand('fc-list', [pattern, 'family'], { env, withinMs: 20_000 });
  return list.trim() !== '';
}
