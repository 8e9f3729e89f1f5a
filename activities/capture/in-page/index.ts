import { readFileSync } from 'node:fs';

const RULES = ['scene', 'overflow', 'text', 'images', 'controls', 'whole-page'].map((name) => `layout/${name}`);

/**
 * Code for the page is kept as plain text: a compiler may add helper functions to what it compiles, which the page does
 * not have, and a closure would not reach the page either.
 */
const SCRIPTS = {
  calm: read('calm'),
  families: joined('plain', 'selector', 'families'),
  layout: joined('plain', 'selector', ...RULES, 'layout'),
  mask: joined('plain', 'mask'),
  outline: read('outline'),
  patch: read('patch'),
  performance: joined('plain', 'selector', 'performance'),
  pinned: joined('plain', 'pinned'),
  preview: joined('plain', 'selector', 'preview'),
  quiet: read('quiet'),
  scroll: read('scroll'),
  signal: read('signal'),
  survey: read('survey'),
} as const;

/** What is passed to `evaluate`: a call of the script with data, and data only. */
export function callInPage(script: keyof typeof SCRIPTS, argument: unknown): string {
  return `(${SCRIPTS[script]})(${JSON.stringify(argument)})`;
}

function read(name: string): string {
  return readFileSync(new URL(`./${name}.js`, import.meta.url), 'utf8');
}

/** The last one, with the functions of the others in its scope. */
function joined(...names: readonly string[]): string {
  const texts = names.map(read);
  return `(argument) => {\n${texts.slice(0, -1).join('\n')}\nreturn (${texts.at(-1) ?? ''})(argument);\n}`;
}
