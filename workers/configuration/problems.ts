import type { z } from 'zod';

export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${String(problems.length)} problem(s):\n${problems.map((p) => `  ${p}`).join('\n')}`);
    this.problems = problems;
  }
}

/** One line a problem, by the key's full name; an unknown key comes with the nearest known one. */
export function describeIssues(error: z.ZodError): string[] {
  return error.issues.flatMap((issue) => {
    const at = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys') return [`${at || 'configuration'}: ${issue.message}`];
    return issue.keys.map((key) => `${[...issue.path, key].join('.')}: is no key of the configuration`);
  });
}
