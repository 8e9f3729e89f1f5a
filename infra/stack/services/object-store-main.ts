/**
 * The process of the local object store. A process of its own, since the server keeps its accounts in module state
 * and works synchronously on files: in the stack's process it would hold up everything else.
 * Settings: DARKROOM_OBJECT_STORE_FOLDER, _BUCKET, _ACCESS_KEY, _SECRET_KEY. Port 0; says the port over IPC.
 */
import S3rver from '@20minutes/s3rver';
import accounts from '@20minutes/s3rver/lib/models/account.js';

const account = accounts.DUMMY_ACCOUNT;
account.revokeAccessKey('S3RVER'); // The key pair that everybody knows.
account.createKeyPair(setting('ACCESS_KEY'), setting('SECRET_KEY'));

const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: setting('FOLDER'),
  vhostBuckets: false,
  configureBuckets: [{ name: setting('BUCKET') }],
});
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
const { port } = await server.run();
process.send?.({ event: 'ready', port });

function setting(name: string): string {
  const value = process.env[`DARKROOM_OBJECT_STORE_${name}`];
  if (value === undefined || value === '') throw new Error(`DARKROOM_OBJECT_STORE_${name} is not set`);
  return value;
}
