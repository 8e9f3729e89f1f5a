/**
 * The one table of errors. A code is the type of the `ApplicationFailure` that ends a job, the log field, the metric
 * label and the anchor in `docs/errors.md`. Callers branch on the code, never on a message.
 */

/** The layer that failed: what an operator looks at first. */
export type Layer = 'caller' | 'queue' | 'node' | 'worker' | 'page' | 'target' | 'storage' | 'job' | 'deployment';
/** Who can do something about it. */
export type Actor = 'caller' | 'operator' | 'nobody';

export interface ErrorEntry {
  /** What happened and what to do, one sentence each; details are appended by whoever throws. */
  readonly message: string;
  /** Whether the job itself tries again, as a new attempt with a new reservation. */
  readonly retryable: boolean;
  readonly layer: Layer;
  /** Status that the gateway answers with. */
  readonly http: number;
  readonly actor: Actor;
}

const entry = (layer: Layer, http: number, actor: Actor, message: string, retryable = false): ErrorEntry => ({
  message,
  retryable,
  layer,
  http,
  actor,
});

export const ERRORS = {
  invalid_input: entry('caller', 400, 'caller', 'The input does not match its schema. Correct the named fields.'),
  unsupported_option: entry('caller', 400, 'caller', 'The input names an option that this kind does not know.'),
  target_forbidden: entry('target', 403, 'caller', 'The target lies outside its base. Ask for a path under the base.'),
  target_expired: entry('target', 410, 'caller', 'The artifact expires before the job could end. Prepare it anew.'),
  target_gone: entry('target', 410, 'caller', 'The target answered 404 or 410. Check the path or prepare it anew.'),
  target_changed: entry(
    'target',
    409,
    'caller',
    'The target has another version than asked for. Submit with the new one.',
  ),
  queue_full: entry('queue', 429, 'caller', 'Too many jobs wait in this deployment. Submit again later.'),
  workspace_queue_full: entry('queue', 429, 'caller', 'Too many jobs of this workspace wait. Submit again later.'),
  user_queue_full: entry('queue', 429, 'caller', 'Too many jobs of this user wait. Submit again later.'),
  queue_timeout: entry(
    'queue',
    503,
    'operator',
    'No capacity came free within the queue deadline. Add nodes or raise limits.',
  ),
  browser_unavailable: entry('node', 503, 'operator', 'The browser node cannot be reached. Check that it runs.', true),
  node_auth_failed: entry('node', 502, 'operator', 'The browser node refused its token. Correct the node entry.'),
  connect_timeout: entry('node', 504, 'operator', 'The browser node did not answer in time. Check its load.', true),
  connection_lost: entry(
    'node',
    502,
    'operator',
    'The connection to the browser broke. Check the node and the network.',
    true,
  ),
  worker_lost: entry('worker', 502, 'operator', 'The render worker died or hung. Check its log.', true),
  page_crashed: entry('page', 502, 'caller', 'The page crashed its renderer. Look for what it does to memory.', true),
  out_of_memory: entry('page', 502, 'caller', 'The page used more memory than a session may have. Make it smaller.'),
  navigation_failed: entry('target', 502, 'caller', 'The document could not be loaded. Check the target.'),
  http_error: entry('target', 502, 'caller', 'The document answered with an HTTP error status. Check the target.'),
  auth_failed: entry('target', 401, 'caller', 'The target refused the credentials. Correct them.'),
  not_a_page: entry(
    'target',
    415,
    'caller',
    'The target answered with something that is no page. Check its content type.',
  ),
  selector_not_found: entry('page', 422, 'caller', 'No element matches the selector. Check it against the page.'),
  source_error: entry(
    'page',
    422,
    'caller',
    'The page is made in a way that keeps it from being captured. Look at the error named.',
  ),
  attempt_timeout: entry(
    'job',
    504,
    'caller',
    'One attempt, or one answer of its page, took longer than its bound. Make the page lighter or the bound larger.',
  ),
  deadline_exceeded: entry('job', 504, 'caller', 'The job took longer than its total deadline.'),
  storage_unavailable: entry('storage', 503, 'operator', 'The object store does not take the result. Check it.'),
  artifact_too_large: entry('storage', 413, 'caller', 'The picture is larger than the bound. Ask for a smaller one.'),
  stale_generation: entry('job', 409, 'nobody', 'The reservation no longer belongs to this attempt.'),
  idempotency_conflict: entry('caller', 409, 'caller', 'This key was used with another input. Use a new key.'),
  result_expired: entry('job', 410, 'caller', 'The result was removed after its retention. Submit again.'),
  result_mismatch: entry('caller', 409, 'caller', 'The result is not of the artifact, version and input named.'),
  config_mismatch: entry('deployment', 503, 'operator', 'The worker holds another node configuration. Reload it.'),
  agent_failed: entry('job', 502, 'caller', 'The agent did not reach its goal.'),
  checkpoint_missing: entry('job', 409, 'caller', 'The checkpoint to resume from does not exist.'),
  cancelled: entry('job', 499, 'nobody', 'The job was cancelled.'),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value);
}

/** What a caller is told of a failed job, everywhere: result of the client, `--json`, gateway. */
export interface JobError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly layer: Layer;
}

export function describeError(code: ErrorCode, detail?: string): JobError {
  const { message, retryable, layer } = ERRORS[code];
  return { code, message: detail ? `${message} ${detail}` : message, retryable, layer };
}
