/** `count.mjs <vitest's JSON report> <others that passed> <and failed>`: prints `N passed, N failed`; fails when something failed or nothing ran. */
import { existsSync, readFileSync } from 'node:fs';

const [file, alsoPassed, alsoFailed] = process.argv.slice(2);
const report = file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] };
const count = (status) =>
  report.testResults.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status)
    .length;
// A file that could not be loaded, or whose set-up failed, has no failed test of its own.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
).length;

const passed = count('passed') + Number(alsoPassed ?? 0);
const failed = count('failed') + brokenFiles + Number(alsoFailed ?? 0);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || count('passed') === 0 ? 1 : 0;
