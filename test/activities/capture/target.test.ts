import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveTarget } from '../../../activities/capture/target.js';

const bases = {
  root: new URL('http://pages.test/'),
  deep: new URL('https://runtime.test:8443/preview/v1/'),
  bare: new URL('http://pages.test/app'),
};

describe('resolveTarget', () => {
  it.each([
    ['root', '/', 'http://pages.test/'],
    ['root', '/a/b.html', 'http://pages.test/a/b.html'],
    ['deep', '/doc', 'https://runtime.test:8443/preview/v1/doc'],
    ['bare', '/doc', 'http://pages.test/app/doc'],
    ['root', '/a?b=c#d', 'http://pages.test/a%3Fb=c%23d'],
    ['root', '/100%25', 'http://pages.test/100%25'],
    ['root', '/a%20b', 'http://pages.test/a%20b'],
    ['root', '/页面', 'http://pages.test/%E9%A1%B5%E9%9D%A2'],
    ['root', '/a..b/...c', 'http://pages.test/a..b/...c'],
    ['root', '/user@host', 'http://pages.test/user@host'],
    ['root', '/a//b', 'http://pages.test/a//b'],
  ])('builds the URL of %s%s', (base, path, url) => {
    expect(resolveTarget(bases, { base, path }).href).toBe(url);
  });

  it('appends the query, escaped', () => {
    const url = resolveTarget(bases, { base: 'root', path: '/a', query: { q: 'a&b=c', id: '1' } });
    expect(url.href).toBe('http://pages.test/a?q=a%26b%3Dc&id=1');
  });

  it.each([
    ['a base that is not configured', 'other', '/'],
    ['a name that every object has', 'constructor', '/'],
    ['dot segments', 'deep', '/../secret'],
    ['dot segments at the end', 'deep', '/a/..'],
    ['a single dot', 'deep', '/./a'],
    ['encoded dots', 'deep', '/%2e%2e/secret'],
    ['half encoded dots', 'deep', '/.%2E/secret'],
    ['dots encoded twice', 'deep', '/%252e%252e/secret'],
    ['dots encoded three times', 'deep', '/%25252e%25252e/secret'],
    ['an encoded slash after dots', 'deep', '/..%2fsecret'],
    ['dots with a parameter', 'deep', '/..;a=b/secret'],
    ['an escape too deep to follow', 'deep', '/%2525252525252e'],
    ['a malformed escape', 'deep', '/%zz'],
    ['another host', 'root', '//evil.test/'],
    ['another host, encoded', 'root', '/%2fevil.test/'],
    ['a backslash', 'root', '/\\evil.test'],
    ['an encoded backslash', 'root', '/%5cevil.test'],
    ['a tab', 'root', '/.\t./secret'],
    ['an encoded line break', 'root', '/%0d%0aHost:evil.test'],
    ['an encoded null', 'root', '/a%00.html'],
  ])('refuses %s', (_, base, path) => {
    expect(() => resolveTarget(bases, { base, path })).toThrow(expect.objectContaining({ code: 'target_forbidden' }));
  });

  it('never leaves the base, whatever the path is', () => {
    const pieces = fc.constantFrom(
      '..',
      '.',
      '/',
      '//',
      '\\',
      '%2e',
      '%2F',
      '%5c',
      '%25',
      '@',
      ':',
      '?',
      '#',
      ';',
      'a',
      '\t',
    );
    const paths = fc.oneof(
      fc.string(),
      fc.array(pieces).map((list) => list.join('')),
    );
    const property = fc.property(fc.constantFrom('root', 'deep', 'bare'), paths, (base, rest) => {
      const url = ((): URL | undefined => {
        try {
          return resolveTarget(bases, { base, path: `/${rest}` });
        } catch (error) {
          expect(error).toHaveProperty('code', 'target_forbidden');
          return undefined;
        }
      })();
      if (url === undefined) return;
      const { origin, pathname } = bases[base];
      expect(url.origin).toBe(origin);
      expect(`${url.pathname}/`.startsWith(pathname.endsWith('/') ? pathname : `${pathname}/`)).toBe(true);
      expect(url.username + url.password + url.hash + url.search).toBe('');
      // The URL stays what it is for whoever reads it again.
      expect(new URL(url.href).href).toBe(url.href);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
