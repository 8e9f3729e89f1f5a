import type { Captured } from '../../activities/slot.js';
import type { ErrorCode, Evidence, Grant, Job, StepTime } from '../../workflows/contract/index.js';

/** Messages between a render worker and a slot, its child process, over Node's IPC channel. */
export interface Operations {
  open: { readonly input: OpenInput; readonly output: { readonly browser: string } };
  capture: { readonly input: CaptureInput; readonly output: Captured };
  close: { readonly input: { readonly how: 'orderly' | 'drop' }; readonly output: null };
}

export interface OpenInput {
  readonly job: Job;
  readonly node: string;
  readonly reservation: string;
  readonly sessionMs: number;
}

export interface CaptureInput {
  readonly job: Job;
  readonly grant: Grant;
  readonly browser: { readonly version: string; readonly fontSet: string | null };
}

export type Operation = keyof Operations;

export type ToSlot =
  | { [K in Operation]: { type: 'call'; id: number; ms: number; op: K; input: Operations[K]['input'] } }[Operation]
  /** `code`: what the call fails with. */
  | { readonly type: 'abort'; readonly id: number; readonly code: ErrorCode }
  | { readonly type: 'ping' };

export type SlotFailure =
  | {
      readonly type: 'failure';
      readonly code: ErrorCode;
      readonly detail: string;
      readonly evidence?: Evidence | undefined;
      readonly steps?: readonly StepTime[] | undefined;
    }
  | { readonly type: 'refusal'; readonly status: 429 | 503 }
  | {
      readonly type: 'never_opened';
      readonly code: ErrorCode;
      readonly detail: string;
    }
  | { readonly type: 'defect'; readonly name: string; readonly message: string };

export type FromSlot =
  | { readonly type: 'ready' }
  | { readonly type: 'pong'; readonly rssBytes: number }
  | { readonly type: 'answer'; readonly id: number; readonly output: unknown }
  | { readonly type: 'failed'; readonly id: number; readonly failure: SlotFailure };
