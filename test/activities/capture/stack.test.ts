import { expect, test } from 'vitest';
import { framesOf } from '../../../activities/capture/stack.js';

test('the frames of a stack are read, named or not, and the rest is left out', () => {
  const stack = `TypeError: no\n at (everything)
    at Price (http://host/assets/main.js:12:345)
    at http://host/a (1).js:1:2
    at async Object.render (https://host/x.js?v=(2)#darkroom={}:3:4)
    at new Promise (<anonymous>)
    at blob:http://host/1-2:5:6`;
  expect(framesOf(stack)).toEqual([
    { name: 'Price', url: 'http://host/assets/main.js', line: 12, column: 345 },
    { name: 'async Object.render', url: 'https://host/x.js?v=(2)#darkroom={}', line: 3, column: 4 },
    { name: '', url: 'blob:http://host/1-2', line: 5, column: 6 },
  ]);
});

test('a page cannot make the reading of its stack take long', () => {
  const hostile = `at ${'('.repeat(50_000)}\n at ${'http://'.repeat(20_000)}:1`;
  expect(framesOf(hostile)).toEqual([]);
});
