import { availableParallelism, tmpdir } from 'node:os';
import { z } from 'zod';
import { NodeError } from './errors.js';
import { DEFAULT_SESSION_LIMIT_MS, MOST_WARM_BY_DEFAULT, type BrowserNodeConfig } from './node.js';

export type NodeSettings = Omit<BrowserNodeConfig, 'log' | 'startSignal'> & { exitWithParent: boolean };

const PREFIX = 'DARKROOM_NODE_';
const MAX_TIMER_MS = 2_147_483_647;
const MIN_TOKEN_CHARS = 8;

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`));

const Environment = z.object({
  PORT: wholeNumber(0, 65_535).optional(),
  HOST: z.string().min(1).optional(),
  TOKEN: z.string({ error: 'is required' }).min(MIN_TOKEN_CHARS, `must have at least ${MIN_TOKEN_CHARS} characters`),
  MAX_SESSIONS: wholeNumber(1, 1_000).optional(),
  WARM: wholeNumber(0, 1_000).optional(),
  SESSION_LIMIT_MS: wholeNumber(1, MAX_TIMER_MS).optional(),
  CHROMIUM: z.string().min(1).optional(),
  NO_SANDBOX: z.enum(['0', '1'], { error: 'must be 0 or 1' }).optional(),
  WORK_DIR: z.string().min(1).optional(),
  PARENT: z.enum(['ipc'], { error: "must be 'ipc'" }).optional(),
  CONNECT_LOG: z.string().min(1).optional(),
});

/**
 * Reads the process environment. A name of ours that is not known is a problem too: it is a typing error.
 *
 * @throws NodeError `settings_invalid` with every problem, by name, one a line
 */
export function readSettings(environment: NodeJS.ProcessEnv): NodeSettings {
  const ours = Object.entries(environment).filter(([name, value]) => name.startsWith(PREFIX) && value !== '');
  const parsed = Environment.strict().safeParse(
    Object.fromEntries(ours.map(([name, value]) => [name.slice(PREFIX.length), value])),
  );
  if (!parsed.success) throw new NodeError('settings_invalid', parsed.error.issues.flatMap(problems).join('\n'));
  const { data } = parsed;
  const maxSessions = data.MAX_SESSIONS ?? availableParallelism();
  return Object.freeze({
    host: data.HOST ?? '127.0.0.1',
    port: data.PORT ?? 0,
    token: data.TOKEN,
    maxSessions,
    warm: data.WARM ?? Math.min(maxSessions, MOST_WARM_BY_DEFAULT),
    sessionLimitMs: data.SESSION_LIMIT_MS ?? DEFAULT_SESSION_LIMIT_MS,
    chromiumPath: data.CHROMIUM,
    noSandbox: data.NO_SANDBOX === '1',
    workFolderParent: data.WORK_DIR ?? tmpdir(),
    connectLogFile: data.CONNECT_LOG,
    exitWithParent: data.PARENT === 'ipc',
  });
}

function problems(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => `${PREFIX}${key}: is not a known setting`);
  return [`${PREFIX}${issue.path.join('.')}: ${issue.message}`];
}
