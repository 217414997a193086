import { describe, expect, test } from 'vitest';
import { checkKey, deriveKey, writtenKey } from '../../../src/engine/clients/entry-keys.js';
import { writableClients } from '../../../src/engine/clients/table/index.js';
import { hostileKeys } from './support/keys.js';
import { writable } from './support/rows.js';

describe('a key that a client takes', () => {
  test.each([
    ['cursor', 'weather'],
    ['cursor', 'My_server.v2-x'],
    ['cursor', '1st'],
    ['cursor', 'x'.repeat(64)],
    ['claude-code', 'a-b_C'],
    ['codex', 'acme/weather'],
    ['codex', '@acme/weather:x.y'],
    ['amp', '@acme/weather'],
    ['gemini-cli', 'a.b:c-d'],
    ['goose', 'a_b-c'],
    ['kiro', 'Weather_1'],
    ['opencode', 'server'],
    ['claude-code', 'work-space'],
  ])('%s: %s', (id, key) => expect(() => checkKey(writable(id), key)).not.toThrow());
});

describe('a key that a client does not take, and one that would do', () => {
  test.each<[id: string, key: string, message: string]>([
    [
      'claude-code',
      'acme/weather',
      '"acme/weather" cannot be the key of an entry: Claude Code takes letters, digits, "-" and "_". Use for example --name acme-weather',
    ],
    [
      'gemini-cli',
      'my_server',
      '"my_server" cannot be the key of an entry: Gemini CLI takes letters, digits, ".", ":" and "-", but no "_". Use for example --name my-server',
    ],
    [
      'claude-code',
      'workspace',
      '"workspace" cannot be the key of an entry: it means something else to Claude Code. Use for example --name workspace-mcp',
    ],
    [
      'cursor',
      '__proto__',
      '"__proto__" cannot be the key of an entry: programs in JavaScript would misread it. Use for example --name proto',
    ],
    ['cursor', '../x', expect.stringMatching(/Use for example --name x$/)],
    ['amp', 'a.b', expect.stringMatching(/"@", "\/", "-" and "_"\. Use for example --name a-b$/)],
    ['grok-build', 'a.b', expect.stringMatching(/Use for example --name a-b$/)],
    ['goose', 'Weather', expect.stringMatching(/lower-case .* Use for example --name weather$/)],
    ['kiro', '1st', expect.stringMatching(/a letter, .* Use for example --name server-1st$/)],
    ['opencode', 'servers', expect.stringMatching(/Use for example --name servers-mcp$/)],
    ['opencode', 'timeout', expect.stringMatching(/Use for example --name timeout-mcp$/)],
    ['kilo-code', 'servers', expect.stringMatching(/Use for example --name servers-mcp$/)],
    ['claude-code', 'computer-use', expect.stringMatching(/Use for example --name computer-use-mcp$/)],
  ])('%s: %s', (id, key, message) => {
    expect(() => checkKey(writable(id), key)).toThrow(expect.objectContaining({ code: 'refused', message }));
  });

  test.each(writableClients.map((client) => [client.id, client] as const))(
    '%s takes none that could do harm',
    (_id, client) => {
      for (const key of ['__proto__', 'constructor', 'prototype', '', 'a b', 'a"b', 'a\nb', 'né']) {
        expect(() => checkKey(client, key)).toThrow(expect.objectContaining({ code: 'refused' }));
      }
    },
  );

  test.each(hostileKeys)('refuses %j and suggests a valid key', (key) => {
    expect(() => checkKey(writable('cursor'), key)).toThrow(/Use for example --name [a-z][a-z0-9-]*$/);
  });
});

describe('a key is derived', () => {
  test.each([
    ['weather', 'weather'],
    ['@acme/weather', 'acme-weather'],
    ['@acme/weather/forecast', 'acme-weather-forecast'],
    ['My Server_2.0', 'my-server-2-0'],
    ['Zürich Wetter', 'zurich-wetter'],
    ['5ire', 'server-5ire'],
    ['天気', 'server'],
    ['', 'server'],
    ['--', 'server'],
    ['constructor', 'server-constructor'],
    ['__proto__', 'proto'],
    ['prototype', 'server-prototype'],
    ['a-very-long-name-that-does-not-fit', 'a-very-long-name-that-does-not'],
    ['twenty-nine-characters-of-name-x', 'twenty-nine-characters-of-name'],
    ['abcdefghijklmnopqrstuvwxyzabc-def', 'abcdefghijklmnopqrstuvwxyzabc'],
  ])('%j: %s', (text, key) => expect(deriveKey(text)).toBe(key));

  test.each(writableClients.map((client) => [client.id, client] as const))(
    'is valid for %s',
    (_id, client) => {
      for (const text of ['@acme/weather', '5ire', 'constructor', 'Ünï_çödé', 'x'.repeat(99)]) {
        expect(() => checkKey(client, deriveKey(text))).not.toThrow();
      }
    },
  );
});

describe('a key that an author wrote down', () => {
  test.each([
    ['cursor', 'Wolfram', 'Wolfram'],
    ['cursor', 'My Key', 'my-key'],
    ['cursor', '__proto__', 'proto'],
    ['gemini-cli', 'Sky_1', 'sky-1'],
    ['kiro', 'Sky_1', 'Sky_1'],
    ['codex', '@acme/weather:x.y', '@acme/weather:x.y'],
    ['claude-code', 'workspace', 'workspace'],
  ])('is written for %s as it is where that takes it: %s', (id, key, written) =>
    expect(writtenKey(writable(id), key)).toBe(written),
  );
});
