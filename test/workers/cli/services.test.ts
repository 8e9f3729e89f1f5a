import { ServiceError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { exitCodeOf } from '../../../workers/cli/exit.js';
import { namingTemporal } from '../../../workers/cli/services.js';

/** As the client gives what gRPC says. */
function serviceError(code: number): ServiceError {
  const cause = Object.assign(new Error(`${String(code)}: No connection established`), {
    code,
    details: 'No connection established',
    metadata: {},
  });
  return new ServiceError('Failed to get Workflow execution history', { cause });
}

test('Temporal that goes away in the middle is named, with its address, and is exit code 3', () => {
  for (const code of [4, 14]) {
    const error = namingTemporal(serviceError(code), '127.0.0.1:7233');
    expect(error).toMatchObject({ code: 3, message: expect.stringContaining('127.0.0.1:7233') as string });
    expect(exitCodeOf(error)).toBe(3);
  }
});

test('what Temporal answers is told as it is', () => {
  const denied = serviceError(7);
  expect(namingTemporal(denied, 'a')).toBe(denied);
  const own = new Error('mine');
  expect(namingTemporal(own, 'a')).toBe(own);
});
