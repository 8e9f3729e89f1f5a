import type { ConsumeInput, Consumption } from './contract/index.js';
import { consumeActivities } from './options.js';

/** Consumes for a caller who is no workflow and reaches no database: the client. */
export async function consumeResult(input: ConsumeInput): Promise<Consumption> {
  return await consumeActivities.consumeResult(input);
}
