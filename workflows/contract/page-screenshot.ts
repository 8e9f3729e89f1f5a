import type { z } from 'zod';
import type { pageScreenshotInput } from './schema/page-screenshot.js';

/** As the schema gives it out: defaults are filled in, so that the same request always has the same digest. */
export type PageScreenshotInput = z.output<typeof pageScreenshotInput>;
/** As a caller may write it. */
export type PageScreenshotRequest = z.input<typeof pageScreenshotInput>;

/** One bounded step of settling a page before it is captured; `frames` draws those of other sites outside the window. */
export interface SettleStep {
  readonly step: 'ready' | 'lazy' | 'fonts' | 'images' | 'animations' | 'stable' | 'frames';
  readonly ms: number;
  readonly outcome: 'done' | 'bounded';
  /** What was still pending when the bound was reached: URLs without their query, at most ten. */
  readonly pending?: readonly string[];
}

/** An object in storage. The link is made when it is asked for, never kept. */
export interface StoredObject {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

export interface PageScreenshotResult {
  readonly v: 1;
  readonly object: StoredObject;
  readonly format: 'png' | 'jpeg' | 'webp';
  /** Device pixels: CSS pixels × device scale. */
  readonly width: number;
  readonly height: number;
  /** Whether `maxHeight` cut the page. */
  readonly truncated: boolean;
  /** After redirects, without its query. */
  readonly finalUrl: string;
  readonly status: number;
  readonly title: string;
  readonly settle: readonly SettleStep[];
  /** Dialogs dismissed, popups and downloads closed. */
  readonly suppressed: { readonly dialogs: number; readonly popups: number; readonly downloads: number };
  /** Milliseconds of each step inside the capture. */
  readonly timings: {
    readonly navigatedMs: number;
    readonly settledMs: number;
    readonly capturedMs: number;
    readonly uploadedMs: number;
  };
  readonly browser: { readonly version: string; readonly fontSet: string | null };
}
