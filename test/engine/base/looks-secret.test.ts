import { describe, expect, test } from 'vitest';
import { looksSecret } from '../../../src/engine/base/looks-secret.js';

/** Made up in pieces, so that nobody's scanner takes them for real ones. */
const made = (...parts: readonly string[]) => parts.join('');

describe('secrets', () => {
  test.each([
    'API_KEY',
    'GITHUB_TOKEN',
    'client-secret',
    'DB_PASSWORD',
    'passwd',
    'AWS_CREDENTIALS',
    'authToken',
    'WOLFRAM_ALPHA_APPID',
    'WOLFRAM_APP_ID',
  ])('by its name: %s', (name) => expect(looksSecret(name, 'x')).toBe(true));

  test.each([
    made('ghp_', 'abcdef0123456789'),
    made('gho_', 'abcdef0123456789'),
    made('github_pat_', '11ABCDE_xyz'),
    made('glpat-', 'abcdefghij'),
    made('sk-', 'proj-abcdefghij'),
    made('sk-', 'ant-abcdefghij'),
    made('sk_live_', 'abcdefghij'),
    made('xoxb-', '12-34-abcdef'),
    made('xoxp-', '12-34-abcdef'),
    made('AKIA', 'IOSFODNN7EXAMPLE'),
    made('AIza', 'SyA-abcdefghij'),
    made('npm_', 'abcdefghij'),
    made('hf_', 'abcdefghij'),
    made('eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxIn0', '.c2lnbmF0dXJl'),
    made('-----BEGIN RSA', ' PRIVATE KEY-----\nabc'),
    made('Server=db;Pass', 'word=hunter2;'),
    made('Host=db api_', 'key=abc'),
  ])('by prefix or by content: %s', (value) => expect(looksSecret('VALUE', value)).toBe(true));

  test.each([
    '9f86d081884c7d659a2feaa0c55ad015',
    'dGhpcyBpcyBhIHNlY3JldCB2YWx1ZTEyMw==',
    'a8B3kZ9qL2mN7xR4tY6wP1vC',
    '123e4567-e89b-12d3-a456-426614174000',
    'v1.a8B3kZ9qL2mN7xR4.tY6wP1vC',
    'xK9#mQ2$vL7!pR4@wT8^zN3&',
    'q;WnB&ueTz(kLpXs@vRjHm#Yd',
    '9f86d081884c7d659a2feaa0!c55ad015',
    'hQzRtWbXkLmNvPcSdFgJyTqZxKwBnMrDhV',
    'vTqhLZwkRfBxNcYpGmDsJKaEuIoXtQbWzH',
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQE',
    '/kV3n8QmZ2x+Lr7Tj1sWq0/YbP5uCdE6fGhI9oKaM=',
    '/9f86d081884c7d659a2feaa0c55ad015',
  ])('by being random: %s', (value) => expect(looksSecret('VALUE', value)).toBe(true));

  test.each([
    'postgres://me:hunter2@db.example.com/app',
    'https://:hunter2@example.com',
    'https://example.com/hook?access_token=abc',
    'https://example.com/blob?sv=1&sig=abc',
  ])('by an address that holds one: %s', (value) => expect(looksSecret('VALUE', value)).toBe(true));
});

describe('other values', () => {
  test.each([
    '',
    'true',
    '8080',
    'acme/weather',
    'production',
    'a-long-name-of-nothing-but-words-and-hyphens',
    'release-2024-11-21-production-eu-west-1',
    'MyVeryLongServiceNameForProduction',
    '2026-11-21T13:26:00.000+01:00',
    '@modelcontextprotocol/server-filesystem@2025.8.21',
    'registry.example.com/team/image:v1.2.3-rc4',
    '123456789012345678901234567890',
    'aaaaaaaaaaaa1aaaaaaaaaaaaa',
    'some text with spaces, and 123e4567 in it',
    '{"units":"metric","days":5,"places":["x1"]}',
    'sk-learn',
    'eyJ',
    '/home/me/9f86d081884c7d659a2feaa0c55ad015/file',
    './cache/9f86d081884c7d659a2feaa0c55ad015',
    '/data/9f86d081884c7d659a2feaa0c55ad015',
    '/Users/Ada/Library/Application Support/9f86d081884c7d659a2feaa0c55ad015',
    '/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30',
    '/opt/node-v20.19.0-linux-x64/bin/node',
    'MyLongAppNameForTheNewUI',
    'theQuickBrownFoxJumpsOverTheLazyDog',
    'XMLHttpRequestRpcHandlerFactory',
    'com.example.MyApplication.ServiceImpl',
    'First,Second,Third,Fourth,Fifth,Sixth',
    'Hello,World!This-Is(Some)Text.Really?',
    'Mozilla/5.0(X11;Linux;x86_64)Gecko/20100101',
    'Europe/Oslo:America/New_York:Asia/Tokyo',
    '@acme/weather-forecast-server@1.2.3-beta.4+build.5',
    '**/*.{ts,tsx,mts,cts,js,jsx,mjs,cjs}',
    'The quick brown fox jumps over 13 lazy dogs, twice!',
    '~/keys/9f86d081884c7d659a2feaa0c55ad015',
    'C:\\Users\\me\\9f86d081884c7d659a2feaa0c55ad015',
    'https://example.com/9f86d081884c7d659a2feaa0c55ad015',
    'https://me@example.com/path?page=2',
    'http://localhost:8080',
  ])('%j', (value) => expect(looksSecret('VALUE', value)).toBe(false));

  test('an empty value is nothing to hide', () => expect(looksSecret('API_KEY', '')).toBe(false));
});
