import { pino } from 'pino';
import { NodeError } from './errors.js';
import { startBrowserNode, type BrowserNode } from './node.js';
import { readSettings, type NodeSettings } from './settings.js';

const EXIT_STOPPED = 0;
const EXIT_FAILED = 1;
const EXIT_SETTINGS = 2;
const STDERR = 2;

const log = pino({ name: 'browser-node' }, pino.destination({ dest: STDERR, sync: true }));

const settings = readOrExit();
const givenUp = new AbortController();
let stopping: Promise<void> | undefined;
const starting = startBrowserNode({ ...settings, log, startSignal: givenUp.signal });
// Installed before the first browser runs: a signal during the start ends the node just as well.
process.on('SIGTERM', () => stopOnce('SIGTERM'));
process.on('SIGINT', () => stopOnce('SIGINT'));
if (settings.exitWithParent) process.on('disconnect', () => stopOnce('parent disconnected'));
starting.then(announce, fail);

function readOrExit(): NodeSettings {
  try {
    return readSettings(process.env);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    process.stderr.write(`browser-node: invalid settings\n${error.message}\n`);
    process.exit(EXIT_SETTINGS);
  }
}

function announce(node: BrowserNode): void {
  const ready = { event: 'ready', port: node.port, url: node.url };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  // A parent that is gone makes itself known by `disconnect`.
  process.send?.(ready, undefined, undefined, () => undefined);
}

function fail(error: unknown): void {
  // A start that was given up has removed what it made, and `stop` ends the process.
  if (stopping !== undefined && givenUp.signal.aborted && error === givenUp.signal.reason) return;
  log.fatal({ err: error }, 'browser node could not start');
  process.exit(EXIT_FAILED);
}

function stopOnce(why: string): void {
  stopping ??= stop(why);
}

async function stop(why: string): Promise<void> {
  log.info({ why }, 'stopping');
  const reason = new NodeError('node_stopping', why);
  givenUp.abort(reason);
  try {
    const node = await starting.catch((error: unknown) => {
      if (error === reason) return undefined;
      throw error;
    });
    await node?.close();
    process.exit(EXIT_STOPPED);
  } catch (error) {
    log.error({ err: error }, 'not everything could be stopped');
    process.exit(EXIT_FAILED);
  }
}
