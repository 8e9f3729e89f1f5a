/** Opens a work folder under the parent in its argument, starts a child process that names it, and tells both. */
import { spawn } from 'node:child_process';
import pino from 'pino';
import { openWorkFolder } from '../../../dist/infra/work-folder/index.js';

const kind = { prefix: 'test-', mention: (path) => `${path}/` };
const folder = await openWorkFolder(process.argv[2], kind, pino({ enabled: false }));
const child = spawn('sh', ['-c', 'while true; do sleep 1; done', `${folder.next()}/`], {
  detached: true,
  stdio: 'ignore',
});
process.on('disconnect', () => undefined);
process.send({ path: folder.path, child: child.pid });
setInterval(() => undefined, 60_000);
