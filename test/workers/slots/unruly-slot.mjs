/** A slot process that does what its job's kind says, in place of rendering: what a slot must never take others down with. */
import { Buffer } from 'node:buffer';

const kept = [];
const misbehaviours = {
  answers: () => undefined,
  crashes: () => process.exit(7),
  rejects: () => void Promise.reject(new Error('nobody handles this')),
  fillsHeap: () => {
    for (;;) kept.push(new Array(100_000).fill(Math.random()));
  },
  fillsBuffers: () => void setInterval(() => kept.push(Buffer.alloc(16 * 1024 * 1024, 1)), 20),
};

process.on('message', (message) => {
  if (message.type === 'ping') process.send({ type: 'pong', rssBytes: process.memoryUsage.rss() });
  if (message.type !== 'call') return;
  misbehaviours[message.input.node]();
  if (message.input.node === 'answers') process.send({ type: 'answer', id: message.id, output: { browser: 'none' } });
});
process.on('disconnect', () => process.exit(0));
process.send({ type: 'ready' });
