import { z } from 'zod';
import { defaultRetention } from '../../scheduler/index.js';

/** A secret by reference, or its text where the file itself is secret. */
const secret = z.union([
  z.string().min(1),
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
]);
/** Node entries are hashed and compared across processes, so their secrets stand in them by reference only. */
const reference = z.union([z.strictObject({ env: z.string().min(1) }), z.strictObject({ file: z.string().min(1) })]);

export type SecretReference = z.output<typeof secret>;

const ms = z.int().min(1).max(86_400_000);
/** Up to ten years, in milliseconds. */
const longMs = z.int().min(1).max(315_360_000_000);
const count = z.int().min(1).max(1_000_000);
const httpUrl = z.url({ protocol: /^https?$/ });

const nodeEntry = z
  .strictObject({
    id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    endpoint: z.url({ protocol: /^wss?$/ }),
    token: reference.optional(),
    headers: z.record(z.string(), reference).optional(),
    maxSessions: count,
    enabled: z.boolean().default(true),
    sessionLimitMs: ms.default(930_000),
    zone: z.string().min(1).max(64).optional(),
    /** Allows `ws:` to a host that is not loopback. */
    insecure: z.boolean().default(false),
  })
  .superRefine((entry, context) => {
    const { protocol, hostname, searchParams } = new URL(entry.endpoint);
    const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
    if (protocol === 'ws:' && !loopback && !entry.insecure) {
      context.addIssue({ code: 'custom', path: ['endpoint'], message: 'use wss: or say insecure: true' });
    }
    for (const name of ['token', 'timeout', 'keepalive', 'trackingId', '--user-data-dir']) {
      if (searchParams.has(name)) {
        context.addIssue({ code: 'custom', path: ['endpoint'], message: `${name} must not stand in the endpoint` });
      }
    }
  });

export type NodeEntryConfiguration = z.output<typeof nodeEntry>;

export const configurationSchema = z.strictObject({
  temporal: z.strictObject({
    address: z.string().min(1),
    namespace: z.string().min(1).default('default'),
    /** Address of Temporal's UI, for links. */
    ui: httpUrl.optional(),
    /** The version of the workflow code, which jobs then stay with: for updates while jobs run. Unversioned without. */
    buildId: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,128}$/)
      .optional(),
  }),
  postgres: z.strictObject({ url: secret, connections: count.max(100).default(10) }),
  storage: z.strictObject({
    endpoint: httpUrl,
    region: z.string().min(1).default('us-east-1'),
    bucket: z.string().min(3).max(63),
    accessKey: secret,
    secretKey: secret,
  }),
  nodes: z
    .array(nodeEntry)
    .min(1)
    .max(1_000)
    .refine((entries) => new Set(entries.map(({ id }) => id)).size === entries.length, 'two entries have one id'),
  bases: z.record(z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/), httpUrl),
  profile: z.enum(['normal', 'lite']).default('normal'),
  limits: z
    .strictObject({
      running: count,
      runningPerWorker: count,
      runningPerUser: count,
      runningPerWorkspace: count,
      runningAgents: count,
      waiting: count,
      waitingPerWorkspace: count,
      waitingPerUser: count,
    })
    .partial()
    .default({}),
  bounds: z
    .strictObject({
      queueMs: ms,
      connectMs: ms,
      attemptMs: ms,
      totalMs: ms,
      attempts: z.int().min(1).max(10),
      leaseMs: ms,
      closeMs: ms,
      recheckMs: ms,
    })
    .partial()
    .default({}),
  render: z
    .strictObject({
      slots: count.max(64).default(2),
      zone: z.string().min(1).max(64).optional(),
      /** How often activities heartbeat; a cancel and a Terminate reach a worker with a heartbeat only. */
      heartbeatMs: ms.default(1_000),
      /** A session that no activity uses for this long closes itself. */
      idleMs: ms.default(60_000),
      /** How long running jobs may go on after SIGTERM. */
      drainMs: ms.default(60_000),
      /** Resident memory of one slot process; beyond it the slot is killed, and its job tried again elsewhere. */
      slotMemoryMb: count.min(256).default(1_024),
    })
    .prefault({}),
  upkeep: z.strictObject({ sweepMs: ms.default(1_000), probeMs: ms.default(2_000) }).prefault({}),
  retention: z
    .strictObject({
      /** A result that nobody consumes, and the evidence of a failed job. */
      resultMs: longMs.default(defaultRetention.resultMs),
      /** A result that was consumed. */
      consumedMs: longMs.default(defaultRetention.consumedMs),
      /** A key, with the summary of its job. */
      summaryMs: longMs.default(defaultRetention.summaryMs),
      ledgerMs: longMs.default(defaultRetention.ledgerMs),
      /** How often the schedule sweeps; Temporal counts in seconds. */
      everyMs: ms.min(1_000).default(60_000),
    })
    .prefault({}),
  log: z.strictObject({ level: z.enum(['fatal', 'error', 'warn', 'info', 'debug']).default('info') }).prefault({}),
});

export type RawConfiguration = z.output<typeof configurationSchema>;
