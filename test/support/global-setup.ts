import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startStack } from '../../infra/stack/index.js';

/** What test files share: servers. Each file makes its own database, bucket and namespace on them. */
export interface Shared {
  readonly temporal: { readonly address: string; readonly ui: string };
  readonly storage: {
    readonly endpoint: string;
    readonly region: string;
    readonly accessKey: string;
    readonly secretKey: string;
  };
  readonly postgresUrl: string;
  /** Registered when the server starts, since a new one is seen by all of Temporal only seconds later. */
  readonly namespaces: readonly string[];
  /** A namespace is taken by making a folder of its name here. */
  readonly claims: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    shared: Shared;
  }
}

const NAMESPACES = Array.from({ length: 24 }, (_, index) => `test-${String(index)}`);

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack({ parts: ['postgres', 'temporal', 'objectStore'], namespaces: NAMESPACES });
  const claims = await mkdtemp(join(tmpdir(), 'darkroom-claims-'));
  const { postgres, temporal, objectStore } = stack.services;
  process.env['DARKROOM_TEST_POSTGRES_URL'] = postgres.url;
  project.provide('shared', {
    temporal: { address: temporal.address, ui: temporal.uiUrl },
    storage: {
      endpoint: objectStore.endpoint,
      region: objectStore.region,
      accessKey: objectStore.accessKey,
      secretKey: objectStore.secretKey,
    },
    postgresUrl: postgres.url,
    namespaces: NAMESPACES,
    claims,
  });
  return async () => {
    await stack.stop();
    await rm(claims, { recursive: true, force: true });
  };
}
