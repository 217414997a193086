import { describe, expect, test } from 'vitest';
import type { ExistingServer } from '../../../src/engine/existing-servers/existing-server.js';
import {
  hideSecrets,
  inputsOfPlaces,
  readPlaces,
  shownUrl,
  shownWords,
} from '../../../src/engine/existing-servers/hide-secrets.js';

describe('the shown text', () => {
  test.each([
    [
      'https://acme.example/mcp?api_key=abc&page=2#x',
      'https://acme.example/mcp?api_key={arg:api_key}&page=2#x',
    ],
    ['https://acme.example/mcp?key=a&key=b', 'https://acme.example/mcp?key={arg:key}&key={arg:key2}'],
    ['https://acme.example/s/NDk4MTIzLWFiY2QtZWZnaC1pamts/mcp', 'https://acme.example/s/{arg:secret}/mcp'],
    ['https://me:abc@acme.example/mcp', 'https://me:{arg:password}@acme.example/mcp'],
    ['https://acme.example/mcp?sig=abc', 'https://acme.example/mcp?sig={arg:sig}'],
    ['https://acme.example/mcp?page=2', 'https://acme.example/mcp?page=2'],
    ['https://acme.example/mcp?api_key={arg:api_key}', 'https://acme.example/mcp?api_key={arg:api_key}'],
    ['https://acme.example/', 'https://acme.example/'],
  ])('hides the secrets of %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
    expect(shownUrl(shown)).toBe(shown);
  });

  test.each([
    [['node', 'x.js', '--token', 'abc'], 'node x.js --token {arg:token}'],
    [['node', 'x.js', '--token=abc', '--port=80'], 'node x.js --token={arg:token} --port=80'],
    [['env', 'API_KEY=abc', 'node'], 'env API_KEY={arg:API_KEY} node'],
    [['mcp', 'postgres://me:abc@localhost/db'], 'mcp {arg:secret}'],
    [['mcp-remote', 'u', '--header', 'X-Key: abc'], 'mcp-remote u --header X-Key: {arg:X-Key}'],
    [['node', '/srv/token/x.js', '{a}'], 'node /srv/token/x.js {a}'],
  ])('hides the secrets of the command %j', (words, shown) => {
    expect(shownWords(words)).toBe(shown);
    expect(shownWords(shown.split(' '))).toBe(shown);
  });
});

test('places in a text are inputs', () => {
  expect(readPlaces('a={arg:one}&b={arg:two}')).toEqual(['a=', { input: 'one' }, '&b=', { input: 'two' }]);
  expect(readPlaces('{arg:one}')).toEqual([{ input: 'one' }]);
  expect(readPlaces('$a {b} {arg:}')).toEqual(['$a {b} {arg:}']);
  expect(inputsOfPlaces(['{arg:one}', 'x{arg:one}'])).toMatchObject([
    { id: 'one', name: 'one', givenBy: 'arg', isRequired: true, isSecret: true },
  ]);
});

test('secrets in arguments, variables and headers of a server are inputs', () => {
  const server: ExistingServer = {
    source: 'client-config',
    reference: './mcp.json#a',
    name: 'a',
    inputs: [],
    template: {
      kind: 'program',
      runner: { by: 'command', command: 'node' },
      args: [{ words: [['--token'], ['abc']] }, { words: [['--token=', { input: 'given' }]] }],
      env: { API_KEY: ['def'], REGION: ['eu'], OTHER_KEY: [{ input: 'given' }] },
    },
    notes: [],
  };
  const { server: hidden, values } = hideSecrets(server, undefined);
  expect(values).toEqual({ token: 'abc', 'env:API_KEY': 'def' });
  expect(hidden).toMatchObject({
    reference: './mcp.json#a',
    inputs: [{ id: 'token' }, { id: 'env:API_KEY', givenBy: 'env', name: 'API_KEY' }],
    template: {
      args: [
        { words: [['--token'], [{ input: 'token' }]] },
        server.template.kind === 'program' && server.template.args[1],
      ],
      env: { API_KEY: [{ input: 'env:API_KEY' }], REGION: ['eu'], OTHER_KEY: [{ input: 'given' }] },
    },
  });
  const remote = {
    kind: 'remote',
    url: ['https://acme.example/mcp'],
    headers: { 'X-Key': ['abc'], Accept: ['a'] },
  } as const;
  const { server: far, values: headers } = hideSecrets({ ...server, template: remote }, undefined);
  expect([far.template, headers]).toEqual([
    { ...remote, headers: { 'X-Key': [{ input: 'header:X-Key' }], Accept: ['a'] } },
    { 'header:X-Key': 'abc' },
  ]);
  expect(hideSecrets({ ...server, template: { ...remote, headers: {} } }, 'x').server.reference).toBe(
    './mcp.json#a',
  );
});
