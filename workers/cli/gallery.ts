import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outcome } from '../../client/index.js';
import type { PageScreenshotRequest, Timings } from '../../workflows/contract/index.js';
import { EXIT } from './exit.js';
import { printJson, say, table } from './output.js';
import { readJson, type RunOptions } from './run.js';
import { withServices, type Services } from './services.js';

interface GalleryJob {
  readonly name: string;
  readonly title: string;
  readonly input: PageScreenshotRequest;
}

interface GalleryRow {
  readonly name: string;
  readonly kind: string;
  readonly status: string;
  readonly size: string;
  readonly timings: Timings | undefined;
  readonly file: string;
  readonly link: string;
}

export interface GalleryOptions extends Pick<RunOptions, 'user' | 'workspace' | 'class' | 'json'> {
  readonly out: string;
}

/** Renders a list of pages at once, writes the pictures, and prints where each job's time went. */
export async function gallery(file: string, options: GalleryOptions): Promise<number> {
  const jobs = (await readJson(file)) as readonly GalleryJob[];
  await mkdir(options.out, { recursive: true });
  return await withServices(async (services) => {
    const operation = `gallery-${randomUUID()}`;
    const rows = await Promise.all(jobs.map((job) => render(services, job, operation, options)));
    if (options.json) printJson(rows);
    else for (const line of lines(rows)) say(line);
    return rows.every(({ status }) => status === 'succeeded') ? EXIT.succeeded : EXIT.failedJob;
  });
}

async function render(
  services: Services,
  { name, input }: GalleryJob,
  operation: string,
  { out, ...caller }: GalleryOptions,
): Promise<GalleryRow> {
  const kind = 'page_screenshot';
  const { user, workspace } = caller;
  const job = await services.darkroom.submit(kind, {
    input,
    user,
    workspace,
    class: caller.class,
    operation: `${operation}/${name}`,
  });
  const outcome = await job.wait();
  const link = (await services.runLink(job.id)) ?? job.id;
  const common = { name, kind, status: outcome.status, timings: outcome.timings, link };
  if (outcome.status !== 'succeeded') return { ...common, size: '', file: describe(outcome) };
  const { object, width, height, format } = outcome.result;
  const path = join(out, `${name}.${format}`);
  await writeFile(path, await services.fetchObject(object.key));
  return { ...common, size: `${String(width)}×${String(height)}`, file: path };
}

function describe(outcome: Exclude<Outcome, { status: 'succeeded' }>): string {
  return `${outcome.error.code}: ${outcome.error.message}`;
}

/** A row for each job, and below it the link to its run: that alone is wider than most terminals. */
function lines(rows: readonly GalleryRow[]): string[] {
  const header = ['kind', 'page', 'size', 'queued', 'connected', 'captured', 'total', 'file'];
  const [titles = '', rule = '', ...cells] = table(header, rows.map(cellsOf)).split('\n');
  return [titles, rule, ...rows.flatMap(({ link }, index) => [cells[index] ?? '', `  ${link}`])];
}

function cellsOf({ kind, name, size, timings, file }: GalleryRow): string[] {
  const ms = (value: number | undefined): string => (value === undefined ? '' : `${String(value)} ms`);
  return [
    kind,
    name,
    size,
    ms(timings?.queuedMs),
    ms(timings?.connectedMs),
    ms(timings?.capturedMs),
    ms(timings?.totalMs),
    file,
  ];
}
