/** The environment is copied when a program is started, so only what `start` begins at once sees this. */
export function withEnvironment<T>(extra: Readonly<Record<string, string>>, start: () => T): T {
  const before = { ...process.env };
  Object.assign(process.env, extra);
  try {
    return start();
  } finally {
    for (const name of Object.keys(extra)) {
      if (before[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = before[name];
    }
  }
}
