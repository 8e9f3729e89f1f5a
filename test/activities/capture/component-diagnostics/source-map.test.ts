import { describe, expect, test } from 'vitest';
import { decodeDataUrl, readSourceMap } from '../../../../activities/capture/component-diagnostics/source-map.js';

const map = { version: 3, sources: ['src/price.ts'], names: [], mappings: 'AAAA;AACA' };
const address = 'http://host/assets/main.js.map';

test('a place is told as its source has it, relative to the map', () => {
  const originOf = readSourceMap(JSON.stringify(map), address);
  expect(originOf?.({ line: 2, column: 7 })).toEqual({ source: 'http://host/assets/src/price.ts', line: 2, column: 1 });
  expect(originOf?.({ line: 9, column: 1 })).toBeUndefined();
});

describe('what a site serves as a map', () => {
  test.each(['', 'null', '5', ')]}', '{}', '<!doctype html>', JSON.stringify({ version: 3, sections: 5 })])(
    '%s is none',
    (text) => {
      expect(readSourceMap(text, address)).toBeUndefined();
    },
  );

  test.each([12, null, {}, 'g', [[1]], [[[0, 99, 1, 1]]]])('mappings %j lead nowhere', (mappings) => {
    expect(readSourceMap(JSON.stringify({ ...map, mappings }), address)?.({ line: 1, column: 1 })).toBeUndefined();
  });

  test.each([0, 1e300])('line %d of a stack that was made up leads nowhere', (line) => {
    expect(readSourceMap(JSON.stringify(map), address)?.({ line, column: 0 })).toBeUndefined();
  });
});

test.each([
  ['data:application/json,%7B%7D', '{}'],
  ['data:application/json;charset=utf-8;base64,e30=', '{}'],
  ['data:,', ''],
  ['data:application/json,%zz', undefined],
])('%s holds %j', (url, text) => {
  expect(decodeDataUrl(url)).toBe(text);
});
