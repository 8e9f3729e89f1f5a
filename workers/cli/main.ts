#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { JobClass } from '../../workflows/contract/index.js';
import { EXIT, exitCodeOf } from './exit.js';
import type { GalleryOptions } from './gallery.js';
import { say } from './output.js';
import type { ReplayOptions } from './replay.js';
import type { RunOptions } from './run.js';
import type { ShotOptions } from './shot.js';

// Commands are imported when they are called: nobody waits for Temporal's client to migrate a database.
type Answer = Promise<number>;

const program = new Command('darkroom')
  .description('Durable browser rendering on Temporal.')
  .option('--config <file>', 'the deployment’s configuration (also DARKROOM_CONFIG)')
  .hook('preAction', (command) => {
    const { config } = command.opts<{ config?: string }>();
    if (config !== undefined) process.env['DARKROOM_CONFIG'] = config;
  })
  .exitOverride();

program
  .command('up')
  .description('start the local stack and keep it running until Ctrl-C')
  .allowUnknownOption()
  .helpOption(false)
  .argument('[options...]', 'options of the stack: --topology, --data, --quiet')
  .action(action(async (options: string[]) => (await import('./up.js')).up(options)));

caller(program.command('run'))
  .description('run one job and wait for it')
  .argument('<kind>', 'for example page_screenshot')
  .requiredOption('--input <file>', 'the job’s input, as JSON')
  .option('--key <key>', 'submitting the same key again gives the same job')
  .option('--out <folder>', 'where to write the picture')
  .option('--queue-ms <ms>', 'wait at most this long for capacity', positive)
  .option('--total-ms <ms>', 'end the job after this long', positive)
  .action(
    action(async (kind: string, options: RunOptions & { input: string; queueMs?: number; totalMs?: number }) =>
      (await import('./run.js')).runFromFile(kind, {
        ...options,
        bounds: { queueMs: options.queueMs, totalMs: options.totalMs },
      }),
    ),
  );

caller(program.command('shot'))
  .description('take a picture of one page')
  .argument('<path|url>', '<base>:/path, or a URL under a configured base')
  .requiredOption('-o, --output <file>', 'the picture, .png, .jpg or .webp')
  .option('--full-page', 'the whole page, not the window only')
  .action(action(async (address: string, options: ShotOptions) => (await import('./shot.js')).shot(address, options)));

caller(program.command('gallery'))
  .description('render a list of pages, write the pictures and print a table')
  .argument('<jobs>', 'a JSON file: [{ name, title, input }]')
  .requiredOption('--out <folder>', 'where to write the pictures')
  .action(
    action(async (file: string, options: GalleryOptions) => (await import('./gallery.js')).gallery(file, options)),
  );

const jobs = program.command('jobs').description('look at jobs and cancel them');
json(jobs.command('list'))
  .description('the newest jobs')
  .option('--state <state>', 'pending, running, succeeded, failed or cancelled')
  .option('--limit <n>', 'at most this many', positive, 50)
  .action(
    action(async (options: { json?: boolean; state?: string; limit: number }) =>
      (await import('./jobs.js')).listJobs(options),
    ),
  );
json(jobs.command('show'))
  .description('where a job’s time went, and how it ended')
  .argument('<id>')
  .action(action(async (id: string, options: { json?: boolean }) => (await import('./jobs.js')).showJob(id, options)));
json(jobs.command('cancel'))
  .description('cancel a job for all who share it, and wait for its end')
  .argument('<id>')
  .action(
    action(async (id: string, options: { json?: boolean }) => (await import('./jobs.js')).cancelJob(id, options)),
  );

json(program.command('replay'))
  .description('replay histories against the workflow code of this build, and say where they part')
  .argument('[workflow id | history.json...]', 'a workflow’s id, or a file that ends in .json')
  .option('--query <query>', 'also every workflow that this visibility query finds')
  .action(
    action(async (names: string[], options: ReplayOptions) => (await import('./replay.js')).replay(names, options)),
  );
const capacity = json(program.command('capacity'))
  .description('what runs, what waits, and where')
  .action(action(async (options: { json?: boolean }) => (await import('./capacity.js')).showCapacity(options)));
json(capacity.command('free'))
  .description(
    'give back what a reservation in quarantine holds: you have seen that its node no longer has the session',
  )
  .argument('<reservation>')
  .action(
    action(async (reservation: string, options: { json?: boolean }) =>
      (await import('./capacity.js')).freeReservation(reservation, options),
    ),
  );
const versions = program.command('versions').description('builds of the workflow code, where workers have a build id');
json(versions.command('list'))
  .description('which build starts new jobs, and which still have some')
  .action(action(async (options: { json?: boolean }) => (await import('./versions.js')).listVersions(options)));
json(versions.command('promote'))
  .description('start new jobs on this build; those that run stay with theirs')
  .argument('<build>')
  .action(
    action(async (build: string, options: { json?: boolean }) =>
      (await import('./versions.js')).promoteVersion(build, options),
    ),
  );
json(program.command('migrate'))
  .description('bring the database to this version')
  .action(action(async (options: { json?: boolean }) => (await import('./migrate.js')).runMigrations(options)));
json(program.command('doctor'))
  .description('ask every part of the deployment whether it is well')
  .action(action(async (options: { json?: boolean }) => (await import('./doctor.js')).doctor(options)));

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : EXIT.usage);
  say(`darkroom: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(exitCodeOf(error));
}

function json(command: Command): Command {
  return command.option('--json', 'print one JSON document on stdout');
}

function caller(command: Command): Command {
  return json(command)
    .option('--user <user>', 'who asks', 'local')
    .option('--workspace <workspace>', 'for whom', 'local')
    .addOption(
      new Option('--class <class>', 'priority')
        .choices(['interactive', 'background'] satisfies JobClass[])
        .default('interactive'),
    );
}

/**
 * Commander gives the options and the command itself last; a command here answers its exit code. An option that the command
 * above has too, as `--json`, is read as that one's, wherever it stands: both have it.
 */
function action(run: (...args: never[]) => Answer) {
  return async (...args: unknown[]): Promise<void> => {
    const command = args.at(-1) as Command;
    process.exitCode = await run(...([...args.slice(0, -2), command.optsWithGlobals()] as never[]));
  };
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('A whole number from 1.');
  return value;
}
