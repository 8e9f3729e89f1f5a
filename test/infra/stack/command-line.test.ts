import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runInForeground } from '../../../infra/stack/foreground-command.js';
import { builtProgram } from '../../../infra/stack/project.js';
import { isListening } from './left-behind.js';

const MAIN = builtProgram('infra/stack/main.js');

describe('usage', () => {
  test.each([
    [['--topology', 'huge'], '--topology is local or lite, not huge'],
    [['--port', '1'], "Unknown option '--port'"],
    [['surplus'], "Unexpected argument 'surplus'"],
    [['--'], 'there is no command after --'],
  ])('%j is refused with exit code 2 before anything starts', (args, reason) => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8' });
    expect({ status, told: stderr.includes(reason) }).toEqual({ status: 2, told: true });
  });

  test('--help explains itself on standard output', () => {
    const { status, stdout } = spawnSync(process.execPath, [MAIN, '--help'], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('--topology local|lite') as string,
    });
  });
});

test('the stack runs a command on itself, stays up after it, and Ctrl-C ends everything with 130', async () => {
  const script = 'process.stdout.write(process.env.DARKROOM_CONFIG); process.exitCode = 7';
  const stack = spawn(
    process.execPath,
    [MAIN, '--topology', 'lite', '--then-stay', '--', process.execPath, '-e', script],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => {
    stack.kill('SIGKILL');
  });
  const [stdout, stderr] = [collect(stack, 'stdout'), collect(stack, 'stderr')];
  await stderr.until('Ctrl-C stops the stack');
  expect(stderr.text()).toContain('the command failed with exit code 7');
  expect(existsSync(stdout.text())).toBe(true); // The command's output and nothing else.

  const addresses = [...stderr.text().matchAll(/(?:http|ws):\/\/127\.0\.0\.1:\d+/g)].map(([address]) => address);
  expect(addresses.length).toBeGreaterThanOrEqual(4);
  stack.kill('SIGINT');
  expect(await once(stack, 'exit')).toEqual([130, null]);
  expect(existsSync(stdout.text())).toBe(false);
  expect(await Promise.all(addresses.map(isListening))).toEqual(addresses.map(() => false));
});

describe('a command in the foreground', () => {
  const stack = { configuration: 'darkroom.yaml', watch: () => undefined };

  test.each([
    ['its own', ['process.exit(process.env.DARKROOM_CONFIG === "darkroom.yaml" ? 7 : 1)'], 7],
    ["128 and the signal's number", ['process.kill(process.pid, "SIGTERM")'], 143],
  ])('ends with %s exit code', async (_, [script = ''], code) => {
    await expect(runInForeground(process.execPath, ['-e', script], stack).exited).resolves.toBe(code);
  });

  test('that cannot be run ends with 127', async () => {
    await expect(runInForeground('/nowhere/at-all', [], stack).exited).resolves.toBe(127);
  });

  test('is asked to stop, and gone when stop resolves', async () => {
    const command = runInForeground(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], stack);
    await command.stop();
    await expect(command.exited).resolves.toBeGreaterThan(128);
  });
});

/** What a process writes, and when it has written something certain. */
function collect(child: ChildProcess, stream: 'stdout' | 'stderr') {
  let text = '';
  let check = (): void => undefined;
  child[stream]?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    check();
  });
  return {
    text: () => text,
    until: (part: string) =>
      new Promise<void>((resolve, reject) => {
        check = () => {
          if (text.includes(part)) resolve();
        };
        check();
        child.once('exit', () => {
          reject(new Error(`ended before it said "${part}":\n${text}`));
        });
      }),
  };
}
