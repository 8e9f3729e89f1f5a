import type { WebSocket, RawData } from 'ws';
import type { DevtoolsPipe } from './chromium/pipe.js';

/** A client that reads slower than the browser writes stops the browser at this backlog. */
const PAUSE_AT_BYTES = 8 * 1024 * 1024;
const RESUME_AT_BYTES = 1024 * 1024;

/** Moves whole messages between client and browser, unread, each side held back by the other. */
export function bridge(client: WebSocket, pipe: DevtoolsPipe, ended: (why: 'closed' | 'tooBig') => void): void {
  let pipePaused = false;
  const resumePipe = () => {
    if (!pipePaused || client.bufferedAmount > RESUME_AT_BYTES) return;
    pipePaused = false;
    pipe.resume();
  };
  pipe.listen({
    message: (message) => {
      if (client.readyState !== client.OPEN) return;
      client.send(message, { binary: false }, resumePipe);
      if (pipePaused || client.bufferedAmount < PAUSE_AT_BYTES) return;
      pipePaused = true;
      pipe.pause();
    },
    drained: () => client.resume(),
    ended,
  });
  client.on('message', (data) => {
    if (!pipe.send(wholeMessage(data))) client.pause();
  });
}

// With the default binary type `ws` always hands over one Buffer; the other forms are for the types' sake.
function wholeMessage(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
