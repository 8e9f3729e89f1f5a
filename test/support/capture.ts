import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';
import type { Browser, Page } from 'playwright-core';
import { HANDLERS, openBlankPage, resolveTarget } from '../../activities/capture/index.js';
import { Deadline } from '../../activities/deadline.js';
import type {
  ComponentDiagnosticsRequest,
  ComponentDiagnosticsResult,
  ComponentReport,
  Inputs,
  Kind,
  PageDiagnosticsRequest,
  PageDiagnosticsResult,
  PageReport,
  PageScreenshotRequest,
  PageScreenshotResult,
  Results,
} from '../../workflows/contract/index.js';
import {
  componentDiagnosticsInput,
  pageDiagnosticsInput,
  pageScreenshotInput,
} from '../../workflows/contract/schema/index.js';

export interface Capture {
  readonly result: PageScreenshotResult;
  readonly bytes: Buffer;
}

export interface Diagnosis {
  readonly result: PageDiagnosticsResult;
  readonly report: PageReport;
  readonly stored: ReadonlyMap<string, Buffer>;
}

export interface ComponentDiagnosis {
  readonly result: ComponentDiagnosticsResult;
  readonly report: ComponentReport;
  readonly stored: ReadonlyMap<string, Buffer>;
}

export interface CaptureSetting {
  readonly browser: Browser;
  /** The base `pages`. */
  readonly base: URL;
  readonly attemptMs?: number;
  readonly answerMs?: number;
  /** Told of the page before it goes anywhere. */
  readonly prepared?: (page: Page) => void;
}

/** One screenshot through the real handler, in a context of its own. */
export async function capture(setting: CaptureSetting, request: PageScreenshotRequest): Promise<Capture> {
  const { result, stored } = await handle(setting, 'page_screenshot', pageScreenshotInput.parse(request));
  return { result, bytes: stored.get(result.object.key) ?? Buffer.alloc(0) };
}

/** One diagnosis likewise. */
export async function diagnose(setting: CaptureSetting, request: PageDiagnosticsRequest): Promise<Diagnosis> {
  const { result, stored } = await handle(setting, 'page_diagnostics', pageDiagnosticsInput.parse(request));
  return { result, stored, report: JSON.parse(String(stored.get(result.report.key))) as PageReport };
}

/** And one of a component. */
export async function diagnoseComponent(
  setting: CaptureSetting,
  request: ComponentDiagnosticsRequest,
): Promise<ComponentDiagnosis> {
  const input = componentDiagnosticsInput.parse(request);
  const { result, stored } = await handle(setting, 'component_diagnostics', input);
  return { result, stored, report: JSON.parse(String(stored.get(result.report.key))) as ComponentReport };
}

/** Storage is the returned map. */
async function handle<K extends Kind>(
  setting: CaptureSetting,
  kind: K,
  input: Inputs[K],
): Promise<{ readonly result: Results[K]; readonly stored: ReadonlyMap<string, Buffer> }> {
  const handler = HANDLERS[kind];
  const deadline = Deadline.after(setting.attemptMs ?? 30_000, 'attempt_timeout');
  const blank = await openBlankPage(setting.browser, handler.contextOptions(input));
  setting.prepared?.(blank.page);
  const stored = new Map<string, Buffer>();
  try {
    const result = await handler.capture(
      {
        deadline,
        answerMs: setting.answerMs ?? 30_000,
        blank: Promise.resolve(blank),
        url: resolveTarget({ pages: setting.base }, input.target),
        browser: { version: setting.browser.version(), fontSet: null },
        enter: () => undefined,
        store: async (name, bytes, contentType) => {
          stored.set(name, bytes);
          const sha256 = createHash('sha256').update(bytes).digest('hex');
          return await Promise.resolve({ key: name, contentType, bytes: bytes.length, sha256 });
        },
      },
      input,
    );
    return { result, stored };
  } finally {
    deadline.stop();
    await blank.context.close();
  }
}

export type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** The pixel at device pixels `x`, `y` of a decoded picture. */
export function pixel(png: PNG, x: number, y: number): Colour {
  if (x < 0 || y < 0 || x >= png.width || y >= png.height)
    throw new RangeError(`No pixel at ${String(x)}, ${String(y)}.`);
  const at = (Math.floor(y) * png.width + Math.floor(x)) * 4;
  return [png.data.readUInt8(at), png.data.readUInt8(at + 1), png.data.readUInt8(at + 2), png.data.readUInt8(at + 3)];
}

export function decode(bytes: Buffer): PNG {
  return PNG.sync.read(bytes);
}
