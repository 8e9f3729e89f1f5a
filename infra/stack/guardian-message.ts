import type { WatchedProcess } from './services/service.js';

/** What the stack tells its guardian, one JSON document a line. The end of the pipe means: clean up now. */
export type GuardianMessage =
  | ({ readonly tell: 'watch'; readonly startTime?: string } & WatchedProcess)
  | { readonly tell: 'release'; readonly pid: number }
  | { readonly tell: 'removeFolder'; readonly folder: string };

/** Every service, and so all that it starts, has this variable with the stack's own id. */
export const STACK_ID_VARIABLE = 'DARKROOM_STACK_ID';
