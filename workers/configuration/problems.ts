import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${String(problems.length)} problem(s):\n${problems.map((p) => `  ${p}`).join('\n')}`);
    this.problems = problems;
  }
}

/** One line a problem, by the key's full name; an unknown key comes with the nearest known one. */
export function describeIssues(error: z.ZodError, schema: z.ZodType): string[] {
  return error.issues.flatMap((issue) => {
    const at = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return [`${at || 'configuration'}: ${issue.message}`];
    const known = keysAt(schema, issue.path);
    return issue.keys.map((key) => {
      const nearest = nearestOf(key, known);
      const hint = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`;
      return `${[...issue.path, key].join('.')}: is no key of the configuration; ${hint}`;
    });
  });
}

/** Near: at most a third of it has to be typed anew. */
function nearestOf(key: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(key, known);
  return distance(key, nearest) <= Math.max(2, key.length / 3) ? nearest : undefined;
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): readonly string[] {
  let at = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema | undefined;
  for (const step of path) at = typeof step === 'number' ? at?.items : at?.properties?.[String(step)];
  return Object.keys(at?.properties ?? {});
}
