/** Process entry: finds or installs the programs and prints their paths as one JSON document. */
import { preparePrograms, ProgramError } from './index.js';

try {
  const programs = await preparePrograms({
    env: process.env,
    report: (line) => process.stderr.write(`darkroom: ${line}\n`),
  });
  process.stdout.write(`${JSON.stringify(programs)}\n`);
} catch (error) {
  if (!(error instanceof ProgramError)) throw error;
  process.stderr.write(`darkroom: ${error.message}\n`);
  process.exitCode = 1;
}
