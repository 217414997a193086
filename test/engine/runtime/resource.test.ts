import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/engine/runtime/context.js';
import { isTextual, toContents } from '../../../src/engine/runtime/resource.js';
import { ResultError } from '../../../src/engine/runtime/tool-result.js';
import { writeFolder } from '../../support/packages.js';
import { type Composed, compose, composeLive } from '../../support/session.js';

const uri = 'app://x';

async function read({ spec }: Composed) {
  const [resource] = spec.registry.all('resources');
  if (!resource) throw new Error(spec.leftOut.map(({ message }) => message).join());
  return await resource.read(uri, {}, {} as Context);
}

const ofFile = (file: string, content: string, more: object = {}) =>
  compose({ resources: ['x'] }, { 'agenttools/resources/x.json': { uri, file, ...more }, [file]: content });

describe('a resource holds', () => {
  test('text', async () => {
    const served = await composeLive({ resources: { x: { uri, text: 'hello' } } });
    expect(await read(served)).toEqual([{ uri, mimeType: 'text/plain', text: 'hello' }]);
    expect(served.spec.registry.all('resources')[0]?.wire).toEqual({
      uri,
      name: 'x',
      title: 'x',
      mimeType: 'text/plain',
    });
  });

  test.each([
    ['data/a.json', '{}', 'application/json'],
    ['./a.md', '# é', 'text/markdown'],
    ['a.svg', '<svg/>', 'image/svg+xml'],
    ['a.html', '<p>', 'text/html'],
    ['a.unknown', 'plain', 'text/plain'],
    ['LICENSE', 'plain', 'text/plain'],
  ])('the text of a file: %s', async (file, text, mimeType) => {
    expect(await read(await ofFile(file, text))).toEqual([{ uri, mimeType, text }]);
  });

  test.each([
    ['of a type that is no text', 'a.png', 'AAA', {}, 'image/png'],
    [
      'whatever its bytes, if the author says so',
      'a.json',
      '{}',
      { mimeType: 'application/octet-stream' },
      'application/octet-stream',
    ],
  ])('the bytes of a file %s', async (_, file, text, more, mimeType) => {
    expect(await read(await ofFile(file, text, more))).toEqual([
      { uri, mimeType, blob: Buffer.from(text).toString('base64') },
    ]);
  });

  test('the bytes of a file that calls itself text and is not', async () => {
    const served = await ofFile('a.txt', 'x');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path.join(served.directory, 'a.txt'), Buffer.from([0xff, 0xfe, 0x00]));
    expect(await read(served)).toEqual([{ uri, mimeType: 'text/plain', blob: '//4A' }]);
  });

  test('reads the current content of its file', async () => {
    const served = await ofFile('a.txt', 'old');
    await read(served);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(path.join(served.directory, 'a.txt'), 'new');
    expect(await read(served)).toMatchObject([{ text: 'new' }]);
  });
});

describe('files outside the package', () => {
  test.each(['../secret', '/etc/hostname', 'a/../../secret'])('a path: %s', async (file) => {
    const { spec } = await composeLive({ resources: { x: { uri, file } } });
    expect(spec.leftOut).toMatchObject([{ code: 'path-outside-package' }]);
  });

  test.each(['link.txt', 'folder/secret.txt'])('a link: %s', async (file) => {
    const outside = writeFolder({ 'secret.txt': 'secret' });
    const served = await compose({ resources: ['x'] }, { 'agenttools/resources/x.json': { uri, file } });
    symlinkSync(path.join(outside, 'secret.txt'), path.join(served.directory, 'link.txt'));
    symlinkSync(outside, path.join(served.directory, 'folder'));
    await expect(read(served)).rejects.toThrow('a link that leads out of the package');
  });

  test.each(['absent.txt', 'agenttools'])('nor what is no file: %s', async (file) => {
    const served = await compose({ resources: ['x'] }, { 'agenttools/resources/x.json': { uri, file } });
    await expect(read(served)).rejects.toThrow(`there is no file ${file} in the package`);
  });
});

describe('a read function returns', () => {
  const other = 'app://other';
  const rows: readonly [string, unknown, unknown][] = [
    ['a string', 'hi', [{ uri, text: 'hi' }]],
    ['bytes', new Uint8Array([0, 1, 2]), [{ uri, blob: 'AAEC' }]],
    ['a Buffer', Buffer.from('hi'), [{ uri, blob: 'aGk=' }]],
    ['an object', { a: 1 }, [{ uri, mimeType: 'application/json', text: '{"a":1}' }]],
    ['contents', { text: 'hi', mimeType: 'a/b', uri: other }, [{ uri: other, mimeType: 'a/b', text: 'hi' }]],
    ['contents of bytes', { blob: new Uint8Array([0, 1, 2]) }, [{ uri, blob: 'AAEC' }]],
    ['contents of base64', { blob: 'AAEC', meta: { a: 1 } }, [{ uri, blob: 'AAEC', _meta: { a: 1 } }]],
    [
      'a whole result',
      { contents: [{ uri: other, text: 'a' }, 'b'] },
      [
        { uri: other, text: 'a' },
        { uri, text: 'b' },
      ],
    ],
    [
      'a list',
      ['a', { uri: other, text: 'b' }],
      [
        { uri, text: 'a' },
        { uri: other, text: 'b' },
      ],
    ],
    ['nothing to see', [], []],
    [
      'data with a text of its own',
      { id: 1, text: 'hi' },
      [{ uri, mimeType: 'application/json', text: '{"id":1,"text":"hi"}' }],
    ],
    ['data whose text is none', { text: 5 }, [{ uri, mimeType: 'application/json', text: '{"text":5}' }]],
  ];

  test.each(rows)('%s', (_, value, contents) => {
    expect(toContents(value, uri, undefined)).toEqual(contents);
  });

  test('defaults to the MIME type of the resource', () => {
    expect(
      toContents(['a', { text: 'b', mimeType: 'text/b' }, {}], uri, 'text/a').map(({ mimeType }) => mimeType),
    ).toEqual(['text/a', 'text/b', 'text/a']);
  });

  test.each([undefined, null, 5, true])('never %j', (value) => {
    expect(() => toContents(value, uri, undefined)).toThrow(ResultError);
  });
});

test.each([
  ['text/plain', true],
  ['text/x-anything; charset=utf-8', true],
  ['application/json', true],
  ['application/ld+json', true],
  ['application/json; charset=utf-8', true],
  ['image/svg+xml', true],
  ['application/xml', true],
  ['application/javascript', true],
  ['application/x-yaml', true],
  ['application/x-sh', true],
  ['application/x-ndjson', true],
  ['application/octet-stream', false],
  ['application/pdf', false],
  ['image/png', false],
  ['application/zip', false],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', false],
])('%s is text: %s', (mimeType, textual) => {
  expect(isTextual(mimeType)).toBe(textual);
});

describe('a definition that cannot work is skipped with a reason', () => {
  const rows: readonly [object, string][] = [
    [{ text: 'x' }, 'has no "uri"'],
    [{ uri, uriTemplate: 'a://{b}', text: 'x' }, 'not both'],
    [{ uri: 'no uri', text: 'x' }, 'absolute URI'],
    [{ uri: '/relative', text: 'x' }, 'absolute URI'],
    [{ uriTemplate: 'a://{b', read: () => 'x' }, 'URI template'],
    [{ uri }, '"text", "file" or "read"'],
    [{ uri, text: 'x', file: 'y' }, 'only one of'],
    [{ uriTemplate: 'a://{b}', text: 'x' }, '"read"'],
    [{ uri, text: 5 }, 'unusable "text"'],
  ];

  test.each(rows)('%j', async (definition, message) => {
    const { spec } = await composeLive({ resources: { x: definition } });
    expect(spec.leftOut.map((one) => one.message)).toEqual([expect.stringContaining(message)]);
  });
});

test('serves the first of two resources with one URI, and reports the second', async () => {
  const { spec } = await composeLive({
    resources: {
      a: { uri, text: 'first' },
      b: { uri, text: 'second' },
      c: { uriTemplate: 'app://{c}', read: () => 'c' },
      d: { uriTemplate: 'app://{c}', read: () => 'd' },
    },
  });
  expect(spec.registry.all('resources').map(({ name }) => name)).toEqual(['a', 'c']);
  expect(spec.leftOut.map(({ item, location }) => [item, location.path])).toEqual([
    ['@acme/kit/b', ['b', 'uri']],
    ['@acme/kit/d', ['d', 'uriTemplate']],
  ]);
});

describe('contents without JSON form are refused, and named', () => {
  const own: Record<string, unknown> = {};
  own.self = own;
  test.each<[what: string, value: unknown, reason: string]>([
    ['a cycle in _meta', { text: 'x', _meta: own }, 'a value that holds itself at /_meta/self'],
    ['a bigint in meta', { text: 'x', meta: { big: 1n } }, 'a BigInt at /meta/big'],
    ['a cycle', own, 'a value that holds itself at /self'],
    ['what is nothing as JSON', { toJSON: () => undefined }, 'has no JSON form'],
  ])('%s', (_, value, reason) => {
    expect(() => toContents(value, uri, undefined)).toThrow(ResultError);
    expect(() => toContents(value, uri, undefined)).toThrow(reason);
  });

  test('drops a _meta that is not an object in JSON', () => {
    const _meta = { toJSON: () => 5 };
    expect(toContents({ text: 'x', _meta }, uri, undefined)).toEqual([{ uri, text: 'x' }]);
  });
});
