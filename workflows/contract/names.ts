/** Names that Temporal, operators and other services see. They are part of the contract: renaming one breaks callers. */

export const CONTRACT_VERSION = 1;

/** Every kind of job with the workflow type that runs it. */
export const WORKFLOW_TYPES = {
  page_screenshot: 'pageScreenshot',
  page_diagnostics: 'pageDiagnostics',
  component_diagnostics: 'componentDiagnostics',
} as const;

export type Kind = keyof typeof WORKFLOW_TYPES;
export type JobClass = 'interactive' | 'background';

export const KINDS = Object.keys(WORKFLOW_TYPES) as readonly Kind[];

export const TASK_QUEUES = {
  workflows: 'darkroom-workflows',
  capacity: 'darkroom-capacity',
  /** Each render worker polls a queue of its own, since the scheduler grants a slot of one certain worker. */
  render: (worker: string): string => `darkroom-render.${worker}`,
} as const;

/** Builds of the workflow code belong to this Temporal worker deployment, where workers have a build id. */
export const WORKER_DEPLOYMENT = 'darkroom';

export const SIGNALS = { capacityGranted: 'capacityGranted', sessionLost: 'sessionLost' } as const;
export const QUERIES = { timeline: 'timeline' } as const;
export const UPDATES = { result: 'result' } as const;

/** All are keywords. No user id, URL or key ever stands in one: search attributes are not encrypted. */
export const SEARCH_ATTRIBUTES = {
  kind: 'DarkroomKind',
  state: 'DarkroomState',
  class: 'DarkroomClass',
  workspace: 'DarkroomWorkspace',
  node: 'DarkroomNode',
  errorCode: 'DarkroomErrorCode',
} as const;
