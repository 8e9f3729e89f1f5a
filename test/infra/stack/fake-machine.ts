import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Machine } from '../../../infra/stack/index.js';

/** A machine whose programs are shell scripts in a temporary folder, and whose cache is empty. */
export class FakeMachine implements Machine {
  readonly folder = mkdtempSync(join(tmpdir(), 'darkroom-fake-machine-'));
  readonly env: NodeJS.ProcessEnv;
  readonly isRoot: boolean;
  readonly said: string[] = [];

  constructor({ isRoot = false } = {}) {
    this.isRoot = isRoot;
    mkdirSync(join(this.folder, 'bin'));
    this.env = { PATH: join(this.folder, 'bin'), DARKROOM_CACHE: join(this.folder, 'cache') };
  }

  readonly report = (line: string): void => {
    this.said.push(line);
  };

  /** Puts a program on PATH. Its script finds the system's own programs, which the machine itself does not. */
  install(name: string, script: string): string {
    const file = join(this.folder, 'bin', name);
    writeFileSync(file, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
