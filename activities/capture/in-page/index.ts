import { readFileSync } from 'node:fs';

/**
 * Code for the page is kept as plain text: a compiler may add helper functions to what it compiles, which the page does
 * not have, and a closure would not reach the page either.
 */
const SCRIPTS = {
  calm: read('calm'),
  families: naming('families'),
  layout: naming('layout'),
  mask: read('mask'),
  outline: read('outline'),
  performance: naming('performance'),
  preview: naming('preview'),
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

/** A script that names elements: with `selectorOf` in its scope. */
function naming(name: string): string {
  return `(argument) => {\n${read('selector')}\nreturn (${read(name)})(argument);\n}`;
}
