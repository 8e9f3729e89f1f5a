/** Types of lock.mjs, which must run before anything is built and is used by the built code too. */
export function withLock<T>(path: string, report: (line: string) => void, work: () => Promise<T>): Promise<T>;
