import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import type { Place } from '../stack.js';

/** Where a place of a script is written in its source. */
export interface Origin {
  readonly source: string;
  /** From 1, as the column. */
  readonly line: number;
  readonly column: number;
}

/** Tells where a place comes from, where the map knows it. */
export type SourceMap = (place: Pick<Place, 'line' | 'column'>) => Origin | undefined;

/** @param address of the map itself, or of the script that holds it: its sources are named relative to it. */
export function readSourceMap(text: string, address: string): SourceMap | undefined {
  const map = unlessForeign(() => new TraceMap(text, address));
  if (map === undefined) return undefined;
  return ({ line, column }) => {
    const found = unlessForeign(() => originalPositionFor(map, { line, column: Math.max(0, column - 1) }));
    if (typeof found?.source !== 'string') return undefined;
    return { source: found.source, line: found.line, column: found.column + 1 };
  };
}

/** The text that a `data:` address holds; undefined where it is none. */
export function decodeDataUrl(address: string): string | undefined {
  const [, base64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(address) ?? [];
  return base64 === undefined ? unlessForeign(() => decodeURIComponent(data)) : Buffer.from(data, 'base64').toString();
}

/** A site may serve anything as a map. What reading fails at is no map, whatever it fails with. */
function unlessForeign<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
