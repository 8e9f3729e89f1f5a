import { expect, test } from 'vitest';
import { callsIn } from '../../../workers/replay/stack.js';

test('only calls of workflow code are kept, innermost first, without where they were built', () => {
  const stack = [
    'Error: command',
    '    at activator.pushCommand (/x/bundle.js:9:1)',
    '    at scheduleActivityNextHandler (/x/node_modules/@temporalio/workflow/src/workflow.ts:250:13)',
    '    at new Promise (<anonymous>)',
    '    at open (/build/darkroom/workflows/session.ts:68:77)',
    '    at async runJob (/build/darkroom/workflows/lifecycle.ts:16:20)',
    '    at /build/darkroom/workflows/run.ts:55:1',
  ].join('\n');
  expect(callsIn(stack)).toEqual([
    'workflows/session.ts:68 open',
    'workflows/lifecycle.ts:16 runJob',
    'workflows/run.ts:55',
  ]);
});
