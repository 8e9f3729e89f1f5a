import { parseArgs } from 'node:util';
import { TOPOLOGIES, type Topology } from './configuration.js';
import { runInForeground } from './foreground-command.js';
import { listenForInterrupt, type Interrupt } from './interrupt.js';
import { ProgramError } from './programs/index.js';
import { ServiceError } from './services/service.js';
import { startStack, type Stack } from './stack.js';

const USAGE = `Usage: main.js [options] [-- command arguments…]

Starts the local stack and stays up until Ctrl-C. With a command: runs it with DARKROOM_CONFIG set, stops the stack
and exits with the command's code.

  --topology local|lite  local: two sessions; lite: one (default: local)
  --data <folder>        keep the data of Postgres, Temporal and the object store there
  --then-stay            stay up after the command until Ctrl-C
  --quiet                say nothing but errors
  --help                 show this
`;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

interface CommandLine {
  readonly topology: Topology;
  readonly data: string | undefined;
  readonly thenStay: boolean;
  readonly quiet: boolean;
  readonly help: boolean;
  readonly command: readonly string[];
}

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Runs the local stack as the arguments say. Everything of its own goes to standard error, so that standard output
 * belongs to the command.
 *
 * @returns the exit code: the command's, or 1 when the stack failed, 2 for usage, 130 after Ctrl-C
 */
export async function runStack(args: readonly string[]): Promise<number> {
  try {
    const line = parseCommandLine(args);
    if (!line.help) return await run(line);
    process.stdout.write(USAGE);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`darkroom: ${error.message}\n\n${USAGE}`);
      return EXIT_USAGE;
    }
    if (!(error instanceof ServiceError || error instanceof ProgramError)) throw error;
    process.stderr.write(`darkroom: ${error.message}\n`);
    return EXIT_FAILED;
  }
}

async function run(line: CommandLine): Promise<number> {
  const interrupt = listenForInterrupt();
  const say = (text: string): void => {
    if (!line.quiet) process.stderr.write(`darkroom: ${text}\n`);
  };
  let stack: Stack;
  try {
    const data = line.data === undefined ? {} : { data: line.data };
    stack = await startStack({ topology: line.topology, ...data, report: say, signal: interrupt.signal });
  } catch (error) {
    if (interrupt.signal.aborted) return interrupt.caught;
    throw error;
  }
  try {
    say(`the stack is up\n${addresses(stack)}`);
    return await Promise.race([use(stack, line, interrupt, say), failureOf(stack)]);
  } finally {
    say('stopping');
    await stack.stop();
  }
}

/** Until the command has ended, or the user wants no more. */
async function use(
  stack: Stack,
  line: CommandLine,
  interrupt: Interrupt,
  say: (text: string) => void,
): Promise<number> {
  const [program, ...args] = line.command;
  if (program !== undefined) {
    const command = runInForeground(program, args, stack);
    try {
      const code = await Promise.race([command.exited, interrupt.caught, failureOf(stack)]);
      if (!line.thenStay || interrupt.signal.aborted) return code;
      if (code !== 0) say(`the command failed with exit code ${String(code)}`);
    } finally {
      await command.stop();
    }
  }
  say('Ctrl-C stops the stack');
  return interrupt.caught;
}

async function failureOf(stack: Stack): Promise<never> {
  throw await stack.failure;
}

function addresses({ services, configuration, folder }: Stack): string {
  const rows = [
    ['Temporal UI', services.temporal.uiUrl],
    ['Temporal', services.temporal.address],
    ['Postgres', new URL(services.postgres.url).host],
    ['object store', services.objectStore.endpoint],
    ['browser node', services.browserNode.endpoint],
    ['pages', services.pages.url],
    ['logs and data', folder],
    ['configuration', configuration ?? ''],
  ];
  const table = rows.map(([what = '', where = '']) => `  ${what.padEnd(14)} ${where}`).join('\n');
  return `${table}\n  try            DARKROOM_CONFIG=${configuration ?? ''} npx darkroom capacity`;
}

function parseCommandLine(args: readonly string[]): CommandLine {
  const dashes = args.indexOf('--');
  const own = dashes === -1 ? args : args.slice(0, dashes);
  const command = dashes === -1 ? [] : args.slice(dashes + 1);
  if (dashes !== -1 && command.length === 0) throw new UsageError('there is no command after --');
  const values = parseOptions(own);
  const { topology = 'local' } = values;
  if (!isTopology(topology)) throw new UsageError(`--topology is local or lite, not ${topology}`);
  return {
    topology,
    data: values.data,
    thenStay: values['then-stay'] === true,
    quiet: values.quiet === true,
    help: values.help === true,
    command,
  };
}

function parseOptions(args: readonly string[]) {
  try {
    const options = {
      topology: { type: 'string' },
      data: { type: 'string' },
      'then-stay': { type: 'boolean' },
      quiet: { type: 'boolean' },
      help: { type: 'boolean' },
    } as const;
    return parseArgs({ args: [...args], options, strict: true }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function isTopology(name: string): name is Topology {
  return Object.hasOwn(TOPOLOGIES, name);
}
