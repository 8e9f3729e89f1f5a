import { z } from 'zod';
import { pageOptions } from './page-options.js';
import { target } from './target.js';
import { line } from './text.js';

/** With the default one, which each profile has. */
const MOST_SCENARIOS = 64;
const LONGEST_PROPS = 4_096;

const scenario = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'an id: 1 to 32 of a-z 0-9 _ -'),
  /** A named state that the host knows. */
  preset: line(128).optional(),
  /** Laid over the preset's, or the default's. */
  props: z
    .record(z.string().max(128), z.json())
    .refine(
      (props) => JSON.stringify(props).length <= LONGEST_PROPS,
      `at most ${String(LONGEST_PROPS)} characters of JSON`,
    )
    .optional(),
  viewport: z.strictObject({ width: z.int().min(1).max(8_192), height: z.int().min(1).max(8_192) }).optional(),
  colorScheme: z.enum(['light', 'dark']).optional(),
  interaction: z
    .strictObject({
      type: z.enum(['hover', 'focus', 'active']),
      /** Default: the first element in the root that the host names. */
      selector: z.string().min(1).max(1_000).optional(),
    })
    .optional(),
});

type Listed = z.output<typeof scenario>;

const DEFAULT: Listed = { id: 'default' };

/** The default state is always there, and always first: what is wrong with it is wrong with all. */
function defaultFirst(listed: readonly Listed[]): Listed[] {
  const own = listed.find(({ id }) => id === DEFAULT.id);
  return [own ?? DEFAULT, ...listed.filter(({ id }) => id !== DEFAULT.id)];
}

const scenarios = z
  .array(scenario)
  .refine((listed) => new Set(listed.map(({ id }) => id)).size === listed.length, 'each id once')
  .refine(
    (listed) => listed.every(({ id, preset, props }) => id !== DEFAULT.id || (preset ?? props) === undefined),
    'the default has neither preset nor props',
  )
  .transform(defaultFirst)
  .refine((all) => all.length <= MOST_SCENARIOS, `at most ${String(MOST_SCENARIOS)}, the default included`);

export const componentDiagnosticsInput = z.strictObject({
  target,
  page: pageOptions.refine(({ javaScript }) => javaScript, {
    path: ['javaScript'],
    error: 'a component does not mount without it',
  }),
  /** Which component of the host, where that has more than one. */
  component: line(256).optional(),
  profile: z.strictObject({ scenarios: scenarios.prefault([]) }).prefault({}),
  /** Milliseconds that the host has, from its document on, to say that the component has mounted. */
  readyMs: z.int().min(1).max(60_000).default(10_000),
  /** Milliseconds without a change of the document after which it counts as complete, since portals come late; 15 s at most. */
  quietMs: z.int().min(0).max(10_000).default(600),
  /** CSS pixels from the top that are drawn. */
  maxHeight: z.int().min(1).max(100_000).default(4_000),
  picture: z.enum(['none', 'outlined']).default('outlined'),
  slowRequestMs: z.int().min(1).max(120_000).default(1_000),
});
