import { isGrpcServiceError } from '@temporalio/client';
import { TASK_QUEUES, WORKER_DEPLOYMENT } from '../../workflows/contract/index.js';
import { EXIT, Exit } from './exit.js';
import { printJson, say, table } from './output.js';
import { withServices, type Services } from './services.js';

interface JsonOption {
  readonly json?: boolean;
}

/** `temporal.api.enums.v1.WorkerDeploymentVersionStatus`, in its order. */
const STATUSES = ['unknown', 'inactive', 'current', 'ramping', 'draining', 'drained', 'created'] as const;

interface Version {
  readonly build: string;
  /** `current` starts new jobs, `draining` still has some, and the workers of a `drained` one may be stopped. */
  readonly status: (typeof STATUSES)[number];
}

export async function listVersions(options: JsonOption): Promise<number> {
  return await withServices(async (services) => {
    const versions = await versionsOf(services);
    if (options.json) printJson(versions);
    else if (versions.length === 0) say('No workflow worker has a build id (temporal.buildId, DARKROOM_BUILD_ID).');
    else
      say(
        table(
          ['build', 'status'],
          versions.map(({ build, status }) => [build, status]),
        ),
      );
    return EXIT.succeeded;
  });
}

export async function promoteVersion(build: string, options: JsonOption): Promise<number> {
  return await withServices(async (services) => {
    const { temporal } = services;
    const versions = await versionsOf(services);
    if (!versions.some((version) => version.build === build)) {
      const known = versions.length === 0 ? 'none' : versions.map((version) => version.build).join(', ');
      throw new Exit(
        EXIT.usage,
        `No workflow worker with build ${build} has served ${TASK_QUEUES.workflows}. Start one first. Known: ${known}.`,
      );
    }
    await temporal.workflowService.setWorkerDeploymentCurrentVersion({
      namespace: temporal.options.namespace,
      deploymentName: WORKER_DEPLOYMENT,
      buildId: build,
      identity: temporal.options.identity,
    });
    if (options.json) printJson({ build, status: 'current' });
    else say(`New jobs start on ${build}.`);
    return EXIT.succeeded;
  });
}

async function versionsOf({ temporal }: Services): Promise<readonly Version[]> {
  try {
    const { workerDeploymentInfo } = await temporal.workflowService.describeWorkerDeployment({
      namespace: temporal.options.namespace,
      deploymentName: WORKER_DEPLOYMENT,
    });
    return (workerDeploymentInfo?.versionSummaries ?? []).map(({ deploymentVersion, status }) => ({
      build: deploymentVersion?.buildId ?? '',
      status: STATUSES[Number(status)] ?? 'unknown',
    }));
  } catch (error) {
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    if (code === NOT_FOUND) return [];
    throw error;
  }
}

/** gRPC: NOT_FOUND. */
const NOT_FOUND = 5;
