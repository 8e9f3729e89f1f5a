import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Programs } from './programs/index.js';
import type { Stage } from './running-services.js';
import { startBrowserNode, type BrowserNodeService } from './services/browser-node.js';
import { startObjectStore, type ObjectStoreService } from './services/object-store.js';
import { startPages, type PagesService } from './services/pages.js';
import { startPostgres, type PostgresService } from './services/postgres.js';
import type { Guardian, ServiceOptions } from './services/service.js';
import { startTemporal, type TemporalService } from './services/temporal.js';

/** What workers need around them. The parts know nothing of each other and start side by side. */
export interface PartServices {
  readonly postgres: PostgresService;
  readonly temporal: TemporalService;
  readonly objectStore: ObjectStoreService;
  readonly pages: PagesService;
  readonly browserNode: BrowserNodeService;
}

export type Part = keyof PartServices;

export const STAGE_OF: Readonly<Record<Part, Stage>> = {
  postgres: 'data',
  temporal: 'data',
  objectStore: 'data',
  pages: 'pages and browsers',
  browserNode: 'pages and browsers',
};

export const PARTS = Object.keys(STAGE_OF) as readonly Part[];

export interface PartContext {
  /** The stack's own folder, gone at its end. */
  readonly folder: string;
  /** Where Postgres, Temporal and the object store keep their data when these shall outlive the stack. */
  readonly data: string | undefined;
  readonly guardian: Guardian;
  readonly report: (line: string) => void;
  /** Asked only by the parts that need a program of the system. */
  readonly programs: () => Promise<Programs>;
  readonly sessions: number;
  readonly namespaces: readonly string[];
}

/** Starts one part; resolves when it answers. */
export const startPart: { readonly [P in Part]: (context: PartContext) => Promise<PartServices[P]> } = {
  postgres: (context) => startPostgres({ ...keptFolder('postgres', context), durable: context.data !== undefined }),
  temporal: async (context) =>
    startTemporal({
      ...keptFolder('temporal', context),
      program: (await context.programs()).temporal,
      namespaces: context.namespaces,
      durable: context.data !== undefined,
    }),
  objectStore: (context) => startObjectStore(keptFolder('object-store', context)),
  pages: (context) => startPages(ownFolder('pages', context)),
  browserNode: async (context) =>
    startBrowserNode({
      ...ownFolder('browser-node', context),
      maxSessions: context.sessions,
      chromium: (await context.programs()).chromium,
    }),
};

/** Passable but not readable for others: as root, Postgres runs as another user. */
export function ownFolder(name: string, { folder, guardian }: PartContext): ServiceOptions {
  return { folder: makeFolder(join(folder, name)), guardian };
}

function keptFolder(name: string, context: PartContext): ServiceOptions {
  const { data = context.folder, guardian } = context;
  return { folder: makeFolder(join(data, name)), guardian };
}

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  return folder;
}
