import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { DevtoolsPipe } from '../../../../infra/browser-node/chromium/pipe.js';

function openPipe() {
  const toBrowser = new PassThrough();
  const fromBrowser = new PassThrough();
  const pipe = new DevtoolsPipe(toBrowser, fromBrowser);
  const messages: string[] = [];
  const ends: string[] = [];
  pipe.listen({
    message: (message) => messages.push(message.toString()),
    drained: () => undefined,
    ended: (why) => ends.push(why),
  });
  return { toBrowser, fromBrowser, pipe, messages, ends };
}

test('messages are cut at NUL wherever the chunks end', async () => {
  const { fromBrowser, messages } = openPipe();
  for (const chunk of ['{"a":1}\0{"b"', ':2', '}', '\0{"c":3}\0\0', '{"d":']) fromBrowser.write(chunk);
  await expect.poll(() => messages).toEqual(['{"a":1}', '{"b":2}', '{"c":3}', '']);
});

test('a sent message is followed by NUL', () => {
  const { toBrowser, pipe } = openPipe();
  pipe.send('{"id":1}');
  expect(String(toBrowser.read())).toBe('{"id":1}\0');
});

test('the end is told once, also to a listener that comes late', async () => {
  const { fromBrowser, pipe, ends } = openPipe();
  fromBrowser.destroy();
  await expect.poll(() => ends).toEqual(['closed']);
  const late: string[] = [];
  pipe.listen({ message: () => undefined, drained: () => undefined, ended: (why) => late.push(why) });
  expect(late).toEqual(['closed']);
});

test('sending to a browser that is gone is no error', async () => {
  const { toBrowser, pipe, ends } = openPipe();
  toBrowser.destroy(new Error('EPIPE'));
  await expect.poll(() => ends).toEqual(['closed']);
  expect(pipe.send('{"id":1}')).toBe(true);
});
