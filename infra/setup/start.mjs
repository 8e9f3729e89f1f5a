/**
 * `npm start [-- --once] [-- --topology lite]`: installs what is missing, starts the local stack, renders the
 * bundled pages, prints the results and stays up until Ctrl-C; with --once it ends after the results.
 */
import { ensureProject } from './ensure.mjs';
import { run } from './process.mjs';

const args = process.argv.slice(2);
const stay = args.includes('--once') ? [] : ['--then-stay'];
const options = args.filter((argument) => argument !== '--once');
const gallery = ['dist/workers/cli/main.js', 'gallery', 'dist/infra/gallery/jobs.json', '--out', 'out/gallery'];

await ensureProject();
process.exitCode = await run(process.execPath, [
  'dist/infra/stack/main.js',
  ...stay,
  ...options,
  '--',
  process.execPath,
  ...gallery,
]);
