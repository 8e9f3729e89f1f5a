import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ProgramError } from '../../../../infra/stack/index.js';
import { prepareTemporal, TEMPORAL_VERSION } from '../../../../infra/stack/programs/temporal.js';
import { FakeMachine } from '../fake-machine.js';

const RUNS = 'echo temporal version 0';

let machine: FakeMachine;
let mirror: Server;
let archive: Buffer | undefined;
let requests: string[];

beforeEach(async () => {
  machine = new FakeMachine();
  archive = undefined;
  requests = [];
  mirror = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(archive === undefined ? 404 : 200).end(archive);
  });
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve));
  machine.env['DARKROOM_TEMPORAL_MIRROR'] = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`;
  machine.install('tar', 'exec tar "$@"'); // The real one; nothing else of this system is to be found.
});

afterEach(async () => {
  machine.remove();
  await new Promise((resolve) => mirror.close(resolve));
});

describe('the temporal program', () => {
  test('is what the setting says, before PATH', async () => {
    machine.install('temporal', RUNS);
    const chosen = machine.install('my-temporal', RUNS);
    machine.env['DARKROOM_TEMPORAL_BIN'] = chosen;
    await expect(prepareTemporal(machine)).resolves.toBe(chosen);
  });

  test('is refused when the setting names no program, even if PATH has one', async () => {
    machine.install('temporal', RUNS);
    machine.env['DARKROOM_TEMPORAL_BIN'] = join(machine.folder, 'nowhere');
    await expect(prepareTemporal(machine)).rejects.toThrow(/DARKROOM_TEMPORAL_BIN: .*nowhere is not an executable/);
  });

  test('is the one on PATH, before any download', async () => {
    const onPath = machine.install('temporal', RUNS);
    await expect(prepareTemporal(machine)).resolves.toBe(onPath);
    expect(requests).toEqual([]);
  });

  test('is downloaded once into the cache and found there from then on', async () => {
    archive = packed();
    const first = await prepareTemporal(machine);
    expect(first).toBe(join(machine.folder, 'cache', 'darkroom', 'temporal', TEMPORAL_VERSION, 'temporal'));
    expect(requests).toEqual([expect.stringMatching(`^/v${TEMPORAL_VERSION}\\?platform=\\w+&arch=\\w+$`)]);
    await expect(prepareTemporal(machine)).resolves.toBe(first);
    expect(requests).toHaveLength(1);
  });

  test('is downloaded once by two set-ups at once', async () => {
    archive = packed();
    const [one, two] = await Promise.all([prepareTemporal(machine), prepareTemporal(machine)]);
    expect(one).toBe(two);
    expect(requests).toHaveLength(1);
  });

  test('is built with Go when there is no download', async () => {
    machine.install(
      'go',
      `echo "$@" > "$(dirname "$0")/asked"; printf '#!/bin/sh\\n${RUNS}\\n' > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"`,
    );
    const built = await prepareTemporal(machine);
    expect(readFileSync(built, 'utf8')).toContain(RUNS);
    expect(readFileSync(join(machine.folder, 'bin', 'asked'), 'utf8')).toBe(
      `install github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_VERSION}\n`,
    );
    expect(machine.said.join('\n')).toMatch(/downloading.*failed.*404[^]*building.*with Go.*done after/);
  });

  test('that does not run never gets into the cache', async () => {
    archive = packed('exit 1');
    machine.install('go', 'echo no network >&2; exit 1');
    const failure = await prepareTemporal(machine).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ProgramError);
    const cache = join(machine.folder, 'cache', 'darkroom', 'temporal', TEMPORAL_VERSION);
    expect(readdirSync(cache)).toEqual([]);
  });

  test('that cannot be had is named with everything that was tried and what to do', async () => {
    machine.install('go', 'echo no network >&2; exit 1');
    await expect(prepareTemporal(machine)).rejects.toThrow(
      /^temporal cannot be had\. Tried:\n.*DARKROOM_TEMPORAL_BIN.*\n.*PATH\n.*cache.*\n.*404\n.*no network\nInstall the Temporal CLI/,
    );
  });
});

/** A download as the official server sends it. */
function packed(script = RUNS): Buffer {
  const program = machine.install('temporal', script);
  const packedArchive = execFileSync('tar', ['-cz', '-C', dirname(program), 'temporal']);
  rmSync(program);
  return packedArchive;
}
