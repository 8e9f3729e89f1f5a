import { objectsIn } from '../../workflows/contract/index.js';
import type { KeptResult } from '../../scheduler/index.js';
import { partsOfKey, type ListedObject } from '../results/index.js';

/** A stretch of the bucket, in the order of keys, with all objects of every folder in it. */
export interface BucketPage {
  readonly objects: readonly ListedObject[];
  /** It ends with this key or text after all keys of its last folder; null: with the bucket. */
  readonly until: string | null;
}

/** `listed` may be cut in the middle of a job's folder: that one is left to the next page. */
export function pageOf(listed: readonly ListedObject[], most: number): BucketPage {
  const last = listed.at(-1);
  if (last === undefined || listed.length < most) return { objects: listed, until: null };
  const cut = folderOf(last);
  const objects = listed.filter((object) => folderOf(object) !== cut);
  // One job never has so many: whatever it is, the next page goes on after it.
  if (objects.length === 0) return { objects: [], until: last.key };
  const { key } = objects.at(-1) ?? last;
  const { folder } = partsOfKey(key) ?? {};
  return { objects, until: folder === undefined ? key : after(folder) };
}

/** Sorts after every key in the folder, since `0` comes after `/`. */
function after(folder: string): string {
  return `${folder}0`;
}

function folderOf({ key }: ListedObject): string {
  return partsOfKey(key)?.folder ?? key;
}

export interface Records {
  /** What became of the reservations in the page; those that are not known are missing. */
  readonly uploads: Readonly<Record<string, 'kept' | 'orphan'>>;
  /** Results in the page's folders that were there before the page was listed. */
  readonly results: readonly KeptResult[];
  /** Objects of an unknown reservation that were written before this are nobody's. */
  readonly forgottenBefore: Date;
}

export interface Judgement {
  readonly orphans: readonly string[];
  readonly missing: readonly KeptResult[];
}

/** Which objects nothing can name any more, and which results name objects that are not there. Other people's objects stay. */
export function judge({ objects }: BucketPage, { uploads, results, forgottenBefore }: Records): Judgement {
  const present = new Set(objects.map(({ key }) => key));
  return {
    orphans: objects.flatMap(({ key, modifiedAt }) => {
      const { reservation } = partsOfKey(key) ?? {};
      if (reservation === undefined) return [];
      const fate = uploads[reservation] ?? (modifiedAt < forgottenBefore ? 'orphan' : 'kept');
      return fate === 'orphan' ? [key] : [];
    }),
    missing: results.filter(({ result }) => objectsIn(result).some(({ key }) => !present.has(key))),
  };
}
