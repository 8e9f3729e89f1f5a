import { startPagesServer } from './pages.js';

/**
 * The gallery's pages as a process. It says one JSON line when it is ready, to its parent too where there is a channel;
 * SIGTERM ends it, and with `DARKROOM_PARENT=ipc` so does the end of that parent.
 */
const server = await startPagesServer({ port: Number(process.env['DARKROOM_PAGES_PORT'] ?? 0) });
const ready = { event: 'ready', url: server.url };

const stop = (): void => {
  void server.close().finally(() => process.exit(0));
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
if (process.env['DARKROOM_PARENT'] === 'ipc') process.once('disconnect', stop);

process.stdout.write(`${JSON.stringify(ready)}\n`);
process.send?.(ready);
