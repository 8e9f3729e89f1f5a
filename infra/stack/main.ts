/** Process entry of the local stack; `--help` shows how to call it. */
import { runStack } from './command-line.js';

process.exitCode = await runStack(process.argv.slice(2));
