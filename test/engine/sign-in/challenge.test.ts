import { describe, expect, test } from 'vitest';
import { coversScope, joinScopes, readChallenge } from '../../../src/engine/sign-in/challenge.js';

function challengeOf(status: number, header?: string) {
  return readChallenge(new Response(null, { status, headers: header ? { 'WWW-Authenticate': header } : {} }));
}

const metadata = 'https://mcp.example.com/.well-known/oauth-protected-resource';

describe('challenges', () => {
  test.each([
    ['no header', undefined, {}],
    ['a bare scheme', 'Bearer', {}],
    [
      'one scheme',
      `Bearer scope="a b", resource_metadata="${metadata}"`,
      { scope: 'a b', resourceMetadataUrl: metadata },
    ],
    ['another scheme first', `Basic realm="x, y", Bearer scope="a"`, { scope: 'a' }],
    ['a token of another scheme', `Negotiate YII=, Bearer scope=a`, { scope: 'a' }],
    ['DPoP', `DPoP algs="ES256", scope="a"`, { scope: 'a' }],
    ['quoted quotes', `Bearer error_description="say \\"scope=b\\"", scope="a"`, { scope: 'a' }],
    ['no valid address', 'Bearer resource_metadata="no address"', {}],
    ['parameters of another scheme', 'Basic scope="b"', {}],
  ])('reads %s', (_, header, expected) => {
    expect(challengeOf(401, header)).toEqual({ status: 401, isScopeTooSmall: false, ...expected });
  });

  test('reads that the scope is too small, with status 403 only', () => {
    const header = 'Bearer error="insufficient_scope", scope="a"';
    expect(challengeOf(403, header)).toMatchObject({ isScopeTooSmall: true, scope: 'a' });
    expect(challengeOf(401, header)).toMatchObject({ isScopeTooSmall: false });
    expect(challengeOf(200, header)).toBeUndefined();
  });

  test('ends for any header', () => {
    for (const header of ['"'.repeat(999), '='.repeat(999), 'a='.repeat(999), 'Bearer ,,,,', 'ü'.repeat(9)])
      expect(() => challengeOf(401, header)).not.toThrow(RangeError);
  });
});

test('joins scopes without duplicates', () => {
  expect(joinScopes('a b', undefined, 'b  c')).toBe('a b c');
  expect(joinScopes(undefined, ' ')).toBeUndefined();
});

test('compares scopes as sets', () => {
  expect(coversScope('b a', 'a b c')).toBe(true);
  expect(coversScope('d', 'a b')).toBe(false);
  expect(coversScope('a', undefined)).toBe(false);
  expect(coversScope(undefined, undefined)).toBe(true);
});
