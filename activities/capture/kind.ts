import type { BrowserContextOptions } from 'playwright-core';
import type { CaptureStep, Inputs, Kind, Results, StoredObject } from '../../workflows/contract/index.js';
import type { Deadline } from '../deadline.js';
import type { BlankPage } from './blank-page.js';

/** What a handler gets: one session of its own, one bound, and a door to storage. It keeps nothing after it returned. */
export interface CaptureSession {
  readonly deadline: Deadline;
  /** How long a page may take to answer one question. */
  readonly answerMs: number;
  /** Made for this session with the handler's own `contextOptions`, begun before the handler was called. */
  readonly blank: Promise<BlankPage>;
  /** The target's URL, inside its base. */
  readonly url: URL;
  readonly browser: { readonly version: string; readonly fontSet: string | null };
  /** Says what begins now, for the job's timeline. */
  enter(step: CaptureStep): void;
  /** Stores one object of the job under the reservation's own prefix. Fails with `storage_unavailable`. */
  store(name: string, bytes: Buffer, contentType: string): Promise<StoredObject>;
}

/** A kind is one folder: this handler, and its schemas in the contract. */
export interface KindHandler<K extends Kind> {
  readonly kind: K;
  contextOptions(input: Inputs[K]): BrowserContextOptions;
  capture(session: CaptureSession, input: Inputs[K]): Promise<Results[K]>;
}
