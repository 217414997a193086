import { beforeAll, describe, expect, test } from 'vitest';
import { installFixture } from '../../support/installed.js';
import { type Connected, connect, revisions } from '../../support/official-client.js';
import { eventually } from '../../support/program.js';

describe.each(revisions)('resources (%s)', (revision) => {
  let server: Connected;
  const listed = async (uri: string) =>
    (await server.client.listResources()).resources.find((resource) => resource.uri === uri);
  const contents = async (uri: string) => (await server.client.readResource({ uri })).contents;

  beforeAll(async () => {
    server = await connect(`${installFixture('authoring')}/resources`, { revision });
  });

  test('are listed with all their metadata [L-80, L-98, N-24]', async () => {
    expect(await listed('kit://config')).toEqual({
      uri: 'kit://config',
      name: 'config',
      title: 'Configuration',
      description: 'How it is set up.',
      mimeType: 'application/json',
      annotations: { audience: ['assistant'], priority: 1 },
      icons: [{ src: 'https://acme.example/gear.png' }],
      size: 14,
    });
  });

  test('are read as text, from the definition, a file or a function [L-81, L-82, N-58]', async () => {
    expect(await contents('kit://config')).toEqual([
      { uri: 'kit://config', mimeType: 'application/json', text: '{"env":"dev"}\n' },
    ]);
    expect(await contents('kit://readme')).toEqual([
      { uri: 'kit://readme', mimeType: 'text/plain', text: 'Read me.\n' },
    ]);
    expect(await contents('kit://function')).toEqual([
      { uri: 'kit://function', mimeType: 'text/plain', text: 'read as kit://function with 0 variables' },
    ]);
    expect(await contents('kit://object')).toEqual([
      { uri: 'kit://object', mimeType: 'application/json', text: '{"a":1}' },
    ]);
  });

  test('are read as blobs, of bytes or of base64 [L-83, N-58]', async () => {
    expect(await contents('kit://bytes')).toEqual([
      { uri: 'kit://bytes', mimeType: 'application/octet-stream', blob: 'AQID' },
    ]);
    expect(await contents('kit://blob')).toEqual([
      { uri: 'kit://blob', mimeType: 'image/png', blob: 'iVBORw==' },
    ]);
  });

  test('hold several contents, of one address too [L-84, L-87]', async () => {
    expect(await contents('kit://log')).toEqual([
      { uri: 'kit://log', mimeType: 'text/plain', text: 'entry 1' },
      { uri: 'kit://log', mimeType: 'text/plain', text: 'entry 2', _meta: { 'acme.example/line': 2 } },
      { uri: 'kit://log/raw', mimeType: 'application/octet-stream', blob: 'AQID' },
    ]);
  });

  test('rejects unknown URIs with the error code of the era [L-85, N-64]', async () => {
    await expect(contents('kit://nowhere')).rejects.toMatchObject({ data: { uri: 'kit://nowhere' } });
    expect(server.lastAnswer().error).toMatchObject({
      code: revision === '2025-11-25' ? -32002 : -32602,
      data: { uri: 'kit://nowhere' },
    });
  });

  test('reports a failure as an error with public details only [L-85]', async () => {
    await expect(contents('kit://told-failure')).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining('the shelf is empty'),
    });
    await expect(contents('kit://failure')).rejects.toMatchObject({ code: -32603 });
    await expect(contents('kit://numbered-failure')).rejects.toMatchObject({ code: -31999 });
    expect(JSON.stringify(server.spoken)).not.toContain('hunter2');
    await eventually(() => server.stderr().includes('hunter2'), 'the reason is on stderr');
  });

  test('omits hidden resources from the list, and reads them by URI [N-24]', async () => {
    expect(await listed('kit://secret')).toBeUndefined();
    expect(await contents('kit://secret')).toMatchObject([{ text: 'read all the same' }]);
  });

  test('come by templates, which are listed apart [L-86, N-24, N-65]', async () => {
    const { resourceTemplates } = await server.client.listResourceTemplates();
    expect(resourceTemplates).toEqual([
      {
        uriTemplate: 'kit://tables/{table}/schema',
        name: 'table',
        title: 'Schema of a Table',
        description: 'What the columns of a table are.',
        mimeType: 'text/plain',
      },
    ]);
  });

  test('lists instances of templates among the others, without hidden templates [N-30, N-59]', async () => {
    const { resources } = await server.client.listResources();
    const uris = resources.map(({ uri }) => uri);
    expect(uris).toContain('kit://tables/births/schema');
    expect(uris).toContain('kit://tables/weddings%20of%201900/schema');
    expect(uris).not.toContain('kit://drafts/one');
    expect(await listed('kit://tables/births/schema')).toMatchObject({
      name: 'births',
      mimeType: 'text/plain',
    });
  });

  test('reads instances of templates with decoded variables; an exact URI wins [L-86, N-59]', async () => {
    expect(await contents('kit://tables/births/schema')).toMatchObject([{ text: 'the schema of births' }]);
    expect(await contents('kit://tables/weddings%20of%201900/schema')).toMatchObject([
      { text: 'the schema of weddings of 1900' },
    ]);
    expect(await contents('kit://tables/taxes/schema')).toMatchObject([{ text: 'exact' }]);
    expect(await contents('kit://drafts/one')).toMatchObject([{ text: 'the draft one' }]);
    await expect(contents('kit://tables/a/b/schema')).rejects.toThrow();
  });

  test('completes the variables of templates [L-99, N-62]', async () => {
    const ref = { type: 'ref/resource' as const, uri: 'kit://tables/{table}/schema' };
    const { completion } = await server.client.complete({ ref, argument: { name: 'table', value: 'b' } });
    expect(completion.values).toEqual(['births']);
    const wrong = server.client.complete({ ref, argument: { name: 'chair', value: 'b' } });
    await expect(wrong).rejects.toMatchObject({ code: -32602 });
  });

  test('send cache hints in revisions that have them [L-100]', async () => {
    // The client keeps it for as long, so that it may have been asked for earlier.
    await contents('kit://config');
    const answers = server.spoken.map(({ message }) => message.result);
    const { ttlMs, cacheScope } = answers.find((result) => result?.contents?.[0]?.uri === 'kit://config');
    expect([ttlMs, cacheScope]).toEqual(
      revision === '2026-07-28' ? [60_000, 'public'] : [undefined, undefined],
    );
  });
});
