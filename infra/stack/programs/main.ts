/** Process entry: finds or installs the programs and prints their paths as one JSON document. */
import { preparePrograms, ProgramError, thisMachine } from './index.js';

try {
  const programs = await preparePrograms(thisMachine((line) => process.stderr.write(`darkroom: ${line}\n`)));
  process.stdout.write(`${JSON.stringify(programs)}\n`);
} catch (error) {
  if (!(error instanceof ProgramError)) throw error;
  process.stderr.write(`darkroom: ${error.message}\n`);
  process.exitCode = 1;
}
