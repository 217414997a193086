import { describe, expect, test } from 'vitest';
import { coversAddress, originFault } from '../../../src/engine/extension/origins.js';

describe('is an origin', () => {
  test.each([
    'https://api.example.com',
    'https://*.example.com',
    'http://localhost:3000',
    'http://127.0.0.1:8080',
    'wss://live.example.com',
    'HTTPS://API.Example.COM:8443',
    'https://xn--bcher-kva.example',
  ])('%s', (text) => expect(originFault(text)).toBeUndefined());
});

describe('returns no origin', () => {
  const blanks = /blanks, quotes/;
  const scheme = /scheme \(https/;
  const star = /before a domain/;
  test.each([
    ['', scheme],
    ['*', star],
    ['https:', scheme],
    ['data:', scheme],
    ["'unsafe-eval'", /Keywords/],
    ['unsafe-inline', /Keywords/],
    ["'self'", /Keywords/],
    ["'nonce-abc'", /Keywords/],
    ['"https://a.example"', blanks],
    ['https://a.example; script-src *', blanks],
    ['https://a.example https://b.example', blanks],
    ['https://*', star],
    ['https://*.com', star],
    ['https://a.*.example', star],
    ['https://a.example:*', star],
    ['https://a.example/', /Write "https:\/\/a\.example"/],
    ['https://a.example/v1?x=1', /Write "https:\/\/a\.example"/],
    ['https://me@a.example', /Write "https:\/\/a\.example"/],
    ['a.example', /Write "https:\/\/a\.example", with its scheme/],
    ['a.example:8080', /Write "https:\/\/a\.example:8080", with its scheme/],
    ['//a.example', scheme],
    ['ftp://a.example', scheme],
    ['file:///etc/passwd', scheme],
    ['https://bücher.example', /Write "https:\/\/xn--bcher-kva\.example"/],
  ])('%s', (text, expected) => expect(originFault(text)).toMatch(expected));
});

describe('covers', () => {
  test.each([
    ['https://a.example', 'https://a.example/x?y', true],
    ['https://a.example', 'https://b.a.example/', false],
    ['https://a.example', 'http://a.example/', false],
    ['http://a.example', 'https://a.example/', true],
    ['https://*.a.example', 'https://b.a.example/', true],
    ['https://*.a.example', 'https://a.example/', false],
    ['https://*.a.example', 'https://ba.example/', false],
    ['https://a.example:8443', 'https://a.example/', false],
    ['https://a.example:8443', 'https://a.example:8443/', true],
    ['https://a.example', 'wss://a.example/', false],
    ['ws://a.example', 'wss://a.example/', true],
    ['HTTPS://A.example', 'https://a.example/', true],
    ['*', 'https://a.example/', false],
  ])('%s %s: %o', (origin, address, expected) => {
    expect(coversAddress(origin, new URL(address))).toBe(expected);
  });
});
