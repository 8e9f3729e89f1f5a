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

const NAMESPACES = Array.from({ length: 32 }, (_, index) => `test-${String(index)}`);

/** Every project of the test run calls this file, each with a module of its own: the servers are started once. */
const registry = globalThis as { darkroomShared?: { readonly started: Promise<Started>; users: number } };

interface Started {
  readonly shared: Shared;
  stop(): Promise<void>;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const use = (registry.darkroomShared ??= { started: start(), users: 0 });
  use.users += 1;
  const servers = await use.started;
  process.env['DARKROOM_TEST_POSTGRES_URL'] = servers.shared.postgresUrl;
  project.provide('shared', servers.shared);
  return async () => {
    use.users -= 1;
    if (use.users === 0) await servers.stop();
  };
}

async function start(): Promise<Started> {
  const stack = await startStack({ parts: ['postgres', 'temporal', 'objectStore'], namespaces: NAMESPACES });
  const claims = await mkdtemp(join(tmpdir(), 'darkroom-claims-'));
  const { postgres, temporal, objectStore } = stack.services;
  const shared: Shared = {
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
  };
  return {
    shared,
    stop: async () => {
      await stack.stop();
      await rm(claims, { recursive: true, force: true });
    },
  };
}
