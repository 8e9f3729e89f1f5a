import type { Capacity } from '../capacity.js';
import type { Caller } from './call.js';

/** Nodes, workers and what an operator sets. */
export function fleetOperations({
  call,
  granted,
}: Caller): Pick<
  Capacity,
  'pause' | 'registerWorker' | 'drainWorker' | 'removeWorker' | 'applyNodes' | 'reportNodes' | 'applyLimits'
> {
  return {
    pause: (paused, at) => granted('select grants from darkroom.pause($1, $2)', paused, at ?? null),

    registerWorker: (registration, at) =>
      granted(
        'select grants from darkroom.register_worker($1, $2, $3, $4, $5, $6, $7)',
        registration.worker,
        registration.slots,
        registration.build,
        registration.contractVersions,
        registration.zone,
        JSON.stringify(registration.nodeHashes),
        at ?? null,
      ),

    async drainWorker(worker, at) {
      const { used } = await call<{ used: number }>(
        'select used from darkroom.drain_worker($1, $2)',
        worker,
        at ?? null,
      );
      return { used };
    },

    async removeWorker(worker, at) {
      await call('select darkroom.remove_worker($1, $2)', worker, at ?? null);
    },

    applyNodes: (nodes, at) =>
      granted('select grants from darkroom.apply_nodes($1, $2)', JSON.stringify(nodes), at ?? null),

    reportNodes: (reports, at) =>
      granted(
        'select grants from darkroom.report_nodes($1, $2, $3)',
        reports.map((report) => report.node),
        reports.map((report) => report.health),
        at ?? null,
      ),

    applyLimits: (limits, leases, at) =>
      granted(
        'select grants from darkroom.apply_limits($1, $2, $3)',
        JSON.stringify(limits),
        JSON.stringify(leases),
        at ?? null,
      ),
  };
}
