import type { JobError, Layer } from '../contract/index.js';

/** Layers of Darkroom's own: when one of them fails, nothing is known about the page. */
const INFRASTRUCTURE: readonly Layer[] = ['queue', 'node', 'worker', 'storage', 'deployment'];

export function isUnavailable({ layer }: Pick<JobError, 'layer'>): boolean {
  return INFRASTRUCTURE.includes(layer);
}
