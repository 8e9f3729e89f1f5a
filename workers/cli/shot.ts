import { readConfiguration } from '../configuration/index.js';
import { EXIT, Exit } from './exit.js';
import { run, type RunOptions } from './run.js';

export interface ShotOptions extends Omit<RunOptions, 'out'> {
  readonly output: string;
  readonly fullPage?: boolean;
}

/** A picture of one address: `<base>:/path`, or a URL that falls under a configured base. */
export async function shot(address: string, { output, fullPage, ...options }: ShotOptions): Promise<number> {
  const format = /\.(png|jpe?g|webp)$/.exec(output)?.[1]?.replace('jpg', 'jpeg');
  if (format === undefined) throw new Exit(EXIT.usage, `The file must end in .png, .jpg or .webp: ${output}`);
  const input = {
    target: targetOf(address, readConfiguration(process.env).bases),
    area: { type: fullPage === true ? 'full_page' : 'viewport' },
    image: { format },
  };
  return await run('page_screenshot', input, { ...options, out: output });
}

/** The longest base that the URL stands under; workers check the path again. */
export function targetOf(address: string, bases: Readonly<Record<string, URL>>) {
  const named = /^([a-z][a-z0-9_-]*):(\/(?!\/).*)$/.exec(address);
  const names = Object.keys(bases);
  if (named?.[1] !== undefined && named[2] !== undefined) {
    if (!names.includes(named[1])) {
      throw new Exit(EXIT.usage, `No base is named ${named[1]}. There are: ${names.join(', ')}.`);
    }
    return parts(named[1], new URL(named[2], 'http://path'));
  }
  if (address.startsWith('/') && names[0] !== undefined && names.length === 1) {
    return parts(names[0], new URL(address, 'http://path'));
  }
  const fitting = Object.entries(bases)
    .filter(([, base]) => address.startsWith(base.href))
    .sort(([, a], [, b]) => b.href.length - a.href.length);
  const best = fitting[0];
  if (best === undefined) {
    throw new Exit(EXIT.usage, `${address} lies under none of the configured bases: ${names.join(', ')}.`);
  }
  const [name, base] = best;
  const url = new URL(address);
  return parts(name, new URL(`/${url.href.slice(base.href.length)}`, 'http://path'));
}

function parts(base: string, url: URL) {
  const query = Object.fromEntries(url.searchParams);
  return { base, path: url.pathname, ...(Object.keys(query).length > 0 ? { query } : {}) };
}
