import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dial, emptied, refusal, startWorld, tempFolder } from './world.js';

test('every open, refusal and close is a line with tracking id, reason, running count and both clocks', async () => {
  const file = join(await tempFolder(), 'connect.jsonl');
  const { node, url } = await startWorld({ maxSessions: 1, connectLogFile: file });
  const { socket } = await dial(url({ trackingId: 'a' }));
  await refusal(url({ trackingId: 'b' }));
  socket.close();
  await emptied(node);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    expect.objectContaining({ event: 'open', trackingId: 'a', reason: null, running: 1 }),
    expect.objectContaining({ event: 'refused', trackingId: 'b', reason: 'at_capacity', running: 1 }),
    expect.objectContaining({ event: 'close', trackingId: 'a', reason: 'client_closed', running: 0 }),
  ]);
  expect(node.stats.events.map((event) => JSON.stringify(event))).toEqual(lines);
  const monotonic = node.stats.events.map((event) => event.monotonicMs);
  expect(monotonic).toEqual(monotonic.toSorted((a, b) => a - b));
  expect(node.stats.events[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT/);
});
