import type pg from 'pg';

export interface Publication {
  readonly operation: string;
  readonly page: string;
  readonly version: string;
  /** Object key. */
  readonly picture: string;
}

/** `picture` is an object key; null with the error's code when the page could not be rendered. */
export interface AlbumEntry {
  readonly path: string;
  readonly picture: string | null;
  readonly code: string | null;
}

export interface BusinessActivities {
  versionOf(page: string): Promise<string>;
  /** False: the page has another version, and nothing was written. Repeated, it answers as it did. */
  publish(publication: Publication): Promise<boolean>;
  writeAlbum(album: { readonly album: string; readonly entries: readonly AlbumEntry[] }): Promise<void>;
}

/** The parent's own tables: Darkroom knows nothing of them. `write` counts every write, so that a second one shows. */
export const BUSINESS_TABLES = `
  create schema business;
  create table business.page (page text primary key, version text not null);
  create table business.publication (operation text primary key, page text not null, version text not null,
                                     picture text not null);
  create table business.album (album text primary key, entries json not null);
  create table business.write (seq bigint generated always as identity primary key, what text not null)`;

export function businessActivities(pool: pg.Pool): BusinessActivities {
  return {
    async versionOf(page) {
      const found = await pool.query<{ version: string }>('select version from business.page where page = $1', [page]);
      return found.rows[0]?.version ?? '';
    },

    /** One statement, hence one transaction: the version is locked while it is compared, and the key is the fence. */
    async publish({ operation, page, version, picture }) {
      const known = `select from business.publication where operation = $1`;
      if ((await pool.query(known, [operation])).rowCount === 1) return true;
      const written = await pool.query(
        `with current as (select page, version from business.page where page = $2 and version = $3 for update),
         written as (
           insert into business.publication (operation, page, version, picture)
           select $1, page, version, $4 from current on conflict do nothing returning operation)
         insert into business.write (what) select operation from written`,
        [operation, page, version, picture],
      );
      return written.rowCount === 1 || (await pool.query(known, [operation])).rowCount === 1;
    },

    async writeAlbum({ album, entries }) {
      await pool.query(
        `with written as (insert into business.album (album, entries) values ($1, $2) on conflict do nothing
           returning album)
         insert into business.write (what) select album from written`,
        [album, JSON.stringify(entries)],
      );
    },
  };
}
