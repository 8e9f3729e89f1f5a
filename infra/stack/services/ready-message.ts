/** What our own programs send over IPC once they serve: `{ event: 'ready', port?, url? }`. */
export interface ReadyMessage {
  readonly port?: number;
  readonly url?: string;
}

export function readyMessage(message: unknown): ReadyMessage | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  if (!('event' in message) || message.event !== 'ready') return undefined;
  return {
    ...('port' in message && typeof message.port === 'number' ? { port: message.port } : {}),
    ...('url' in message && typeof message.url === 'string' ? { url: message.url } : {}),
  };
}
