import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { PartServices } from './parts.js';

export type Topology = 'local' | 'lite';

/** What differs between the topologies that run on one machine. */
export const TOPOLOGIES = {
  local: { profile: 'normal', sessions: 2 },
  lite: { profile: 'lite', sessions: 1 },
} as const satisfies Record<Topology, { profile: string; sessions: number }>;

const ZONE = 'local';

/**
 * Writes the configuration file that workers and the command line read. Secrets stand in files of their own beside
 * it, so that the configuration can be shown and copied.
 *
 * @returns the path of the file
 */
export function writeConfiguration(folder: string, services: PartServices, topology: Topology): string {
  const { temporal, postgres, objectStore, browserNode, pages } = services;
  const secret = secretWriter(join(folder, 'secrets'));
  const { profile, sessions } = TOPOLOGIES[topology];
  const configuration = {
    temporal: { address: temporal.address, namespace: 'default', ui: temporal.uiUrl },
    postgres: { url: secret('postgres-url', postgres.url) },
    storage: {
      endpoint: objectStore.endpoint,
      region: objectStore.region,
      bucket: objectStore.bucket,
      accessKey: secret('storage-access-key', objectStore.accessKey),
      secretKey: secret('storage-secret-key', objectStore.secretKey),
    },
    nodes: [
      {
        id: 'local',
        endpoint: browserNode.endpoint,
        token: secret('node-token', browserNode.token),
        maxSessions: browserNode.maxSessions,
        zone: ZONE,
      },
    ],
    bases: { pages: pages.url },
    profile,
    render: { slots: sessions, zone: ZONE },
  };
  const file = join(folder, 'darkroom.yaml');
  writeFileSync(file, stringify(configuration), { mode: 0o600 });
  return file;
}

function secretWriter(folder: string): (name: string, value: string) => { file: string } {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return (name, value) => {
    const file = join(folder, name);
    writeFileSync(file, value, { mode: 0o600 });
    return { file };
  };
}
