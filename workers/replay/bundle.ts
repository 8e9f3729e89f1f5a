import { readFileSync } from 'node:fs';

const PROBE = readFileSync(new URL('./probe.js', import.meta.url), 'utf8');
const SOURCE_MAP = '//# sourceMappingURL=data:';

/**
 * A workflow bundle that tells what its code does while it is replayed. The probe comes after all code, so every line
 * keeps its place in the source map, and before the map, which must stand last.
 */
export function withProbe(code: string): string {
  const end = code.lastIndexOf(SOURCE_MAP);
  if (end === -1) throw new Error('The workflow bundle has no source map: build it with bundle.ts.');
  return `${code.slice(0, end)}\n${PROBE}\n${code.slice(end)}`;
}
