import type { CapacitySnapshot } from '../../scheduler/index.js';
import { EXIT, Exit } from './exit.js';
import { printJson, say, table } from './output.js';
import { withServices } from './services.js';

export async function showCapacity(options: { readonly json?: boolean }): Promise<number> {
  return await withServices(async ({ capacity }) => {
    const snapshot = await capacity.snapshot();
    if (options.json) printJson(snapshot);
    else say(describe(snapshot));
    return EXIT.succeeded;
  });
}

export async function freeReservation(reservation: string, options: { readonly json?: boolean }): Promise<number> {
  return await withServices(async ({ capacity }) => {
    // Whom this grants to is told by the capacity worker's next tick.
    const { freed } = await capacity.free(reservation);
    if (!freed) {
      throw new Exit(
        EXIT.usage,
        `${reservation} is not in quarantine: \`darkroom capacity\` lists what is, and a job that runs is ended by \`darkroom jobs cancel\`.`,
      );
    }
    if (options.json) printJson({ reservation, freed });
    else say(`${reservation}: freed.`);
    return EXIT.succeeded;
  });
}

function describe(snapshot: CapacitySnapshot): string {
  const { waiting, running, limits, oldestWaitMs } = snapshot;
  const oldest = oldestWaitMs === null ? '' : `, the oldest for ${seconds(oldestWaitMs)}`;
  return [
    `running ${String(running)} of ${String(limits.running)}${snapshot.paused ? ' (paused)' : ''}`,
    `waiting ${String(waiting.interactive)} interactive, ${String(waiting.background)} background${oldest}`,
    '',
    table(
      ['node', 'health', 'used', 'quarantined', 'sessions'],
      snapshot.nodes.map((node) => [
        node.node,
        node.draining ? 'draining' : node.enabled ? node.health : 'disabled',
        String(node.used),
        String(node.quarantined),
        String(node.maxSessions),
      ]),
    ),
    '',
    table(
      ['worker', 'state', 'used', 'slots', 'heard of'],
      snapshot.workers.map(({ worker, state, used, slots, heartbeatAgeMs }) => [
        worker,
        state,
        String(used),
        String(slots),
        `${seconds(heartbeatAgeMs)} ago`,
      ]),
    ),
    '',
    table(
      ['reservation', 'state', 'node', 'age', 'reason', 'job'],
      snapshot.reservations.map(({ reservation, state, node, ageMs, reason, job }) => [
        reservation,
        state,
        node,
        seconds(ageMs),
        reason ?? '',
        job,
      ]),
    ),
  ].join('\n');
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
