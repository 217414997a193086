import { createHash } from 'node:crypto';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { skillsExtension } from '../../../src/engine/protocol/protocol-extensions.js';
import { type Files, packageJson } from '../../support/packages.js';
import { type Composed, compose, openSession, type Session } from '../../support/session.js';

const skill = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\nDo it.\n`;

const tea = {
  'skills/tea/SKILL.md': skill('tea', 'metadata:\n  author: ada\n'),
  'skills/tea/refs/times & more.md': 'Four minutes.',
};
const paper = { 'skills/paper/SKILL.md': skill('paper') };

const eras = ['legacy', 'modern'] as const;
type EraName = (typeof eras)[number];

/** A package with one server. */
async function composeServer(files: Files, server: object = { skills: '*' }): Promise<Composed> {
  return await compose({ servers: ['main'] }, { ...files, 'agenttools/servers/main.json': server });
}

async function open(era: EraName, files: Files, server?: object): Promise<Session> {
  const composed = await composeServer(files, server);
  if ('skills/tea/SKILL.md' in files) {
    writeFileSync(path.join(composed.directory, 'skills/tea/leaf.bin'), Buffer.from([0xff, 0xfe]));
  }
  return await openSession(composed, { era });
}

const names = ({ skills }: { skills: { frontmatter: { name: string } }[] }) =>
  skills.map(({ frontmatter }) => frontmatter.name);

describe.each(eras)('%s: skills', (era) => {
  test('are listed with what is in them', async () => {
    const { request } = await open(era, { ...tea, ...paper });
    const list = await request('skills/list');
    expect(names(list)).toEqual(['paper', 'tea']);
    const text = tea['skills/tea/SKILL.md'];
    const { uri, frontmatter, resources } = list.skills[1];
    expect(uri).toBe('skill://tea/SKILL.md');
    expect(frontmatter).toEqual({ name: 'tea', description: 'About tea.', metadata: { author: 'ada' } });
    expect(resources.map((file: { uri: string }) => file.uri)).toEqual([
      'skill://tea/SKILL.md',
      'skill://tea/leaf.bin',
      'skill://tea/refs/times%20&%20more.md',
    ]);
    const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
    expect(resources[0]).toEqual({ uri, digest, size: text.length });
    const isKept = { ttlMs: list.ttlMs, cacheScope: list.cacheScope };
    const hint = { ttlMs: 0, cacheScope: 'private' };
    expect(isKept).toEqual(era === 'modern' ? hint : { ttlMs: undefined, cacheScope: undefined });
  });

  test('are available one by one', async () => {
    const { request } = await open(era, { ...tea, ...paper });
    const { skills } = await request('skills/list');
    expect((await request('skills/get', { uri: 'skill://tea/SKILL.md' })).skill).toEqual(skills[1]);
    for (const params of [{ uri: 'skill://none/SKILL.md' }, {}]) {
      await expect(request('skills/get', params)).rejects.toMatchObject({ code: -32602 });
    }
  });

  test('are resources', async () => {
    const { request } = await open(era, tea);
    expect((await request('resources/list')).resources).toEqual([
      {
        uri: 'skill://tea/SKILL.md',
        name: 'tea',
        description: 'About tea.',
        mimeType: 'text/markdown',
        size: tea['skills/tea/SKILL.md'].length,
      },
    ]);
    const read = async (uri: string) => (await request('resources/read', { uri })).contents;
    expect(await read('skill://tea/SKILL.md')).toEqual([
      { uri: 'skill://tea/SKILL.md', mimeType: 'text/markdown', text: tea['skills/tea/SKILL.md'] },
    ]);
    expect(await read('skill://tea/refs/times%20&%20more.md')).toMatchObject([{ text: 'Four minutes.' }]);
    expect(await read('skill://tea/leaf.bin')).toMatchObject([{ blob: '//4=' }]);
    for (const uri of ['skill://tea/none.md', 'skill://tea/../../package.json', 'skill://tea']) {
      await expect(read(uri)).rejects.toMatchObject({ code: expect.any(Number) });
    }
  });

  test('have scripts that are texts', async () => {
    const scripts = { 'skills/tea/brew.py': 'pour()', 'skills/tea/brew.ts': 'pour()' };
    const { request } = await open(era, { ...tea, ...scripts });
    const { resources } = await request('resources/directory/read', { uri: 'skill://tea' });
    expect(resources.map(({ name, mimeType }: Record<string, unknown>) => [name, mimeType])).toEqual([
      ['SKILL.md', 'text/markdown'],
      ['brew.py', 'text/plain'],
      ['brew.ts', 'text/plain'],
      ['leaf.bin', 'application/octet-stream'],
      ['refs', 'inode/directory'],
    ]);
    expect((await request('resources/read', { uri: 'skill://tea/brew.py' })).contents).toEqual([
      { uri: 'skill://tea/brew.py', mimeType: 'text/plain', text: 'pour()' },
    ]);
  });

  test('are folders', async () => {
    const { request } = await open(era, tea);
    const look = async (uri: string) => (await request('resources/directory/read', { uri })).resources;
    expect(await look('skill://tea')).toEqual([
      {
        uri: 'skill://tea/SKILL.md',
        name: 'SKILL.md',
        mimeType: 'text/markdown',
        size: tea['skills/tea/SKILL.md'].length,
      },
      { uri: 'skill://tea/leaf.bin', name: 'leaf.bin', mimeType: 'application/octet-stream', size: 2 },
      { uri: 'skill://tea/refs', name: 'refs', mimeType: 'inode/directory' },
    ]);
    expect(await look('skill://tea/refs')).toMatchObject([{ name: 'times & more.md' }]);
    await expect(look('skill://tea/SKILL.md')).rejects.toMatchObject({ code: -32602 });
  });

  test('come in pages', async () => {
    const { request } = await open(era, { ...tea, ...paper }, { skills: '*', pageSize: 1 });
    const { nextCursor, ...first } = await request('skills/list');
    expect(names(first as never)).toEqual(['paper']);
    expect(names(await request('skills/list', { cursor: nextCursor }))).toEqual(['tea']);
    await expect(request('skills/list', { cursor: 'x' })).rejects.toMatchObject({ code: -32602 });
  });

  test('are an unknown method for a server without skills', async () => {
    const { request } = await open(era, {});
    await expect(request('skills/list')).rejects.toMatchObject({ code: -32601 });
  });
});

test('declares the capability for a server with skills', async () => {
  const told = async (session: Session) => (await session.request('server/discover')).capabilities;
  expect(await told(await open('modern', tea))).toMatchObject({
    resources: {},
    extensions: { [skillsExtension]: { directoryRead: true } },
  });
  expect(await told(await open('modern', {}))).not.toHaveProperty('extensions');
});

test('serves the listed skills of a server and skips missing ones', async () => {
  const composed = await composeServer({ ...tea, ...paper }, { skills: ['tea', 'none', '../skills/paper'] });
  const { request } = await openSession(composed);
  expect(names(await request('skills/list'))).toEqual(['tea']);
  expect(composed.spec.leftOut.map(({ message }) => message)).toEqual([
    expect.stringContaining('has no skill "none". Expected skills/none/SKILL.md.'),
    expect.stringContaining('"../skills/paper"'),
  ]);
});

test('a server that lists none serves none', async () => {
  const { request } = await open('legacy', tea, { tools: '*' });
  await expect(request('skills/list')).rejects.toMatchObject({ code: -32601 });
});

test('a package without servers serves all', async () => {
  const tool = { 'agenttools/tools/t.json': { handler: './t.js' }, 't.js': 'export default () => "x";' };
  const { request } = await openSession(await compose({ tools: ['t'] }, { ...tea, ...paper, ...tool }));
  expect(names(await request('skills/list'))).toEqual(['paper', 'tea']);
});

test('a package that has nothing but skills serves all', async () => {
  const composed = await compose({}, { ...tea, ...paper });
  const { request } = await openSession(composed);
  expect(names(await request('skills/list'))).toEqual(['paper', 'tea']);
  expect(composed.spec.qualifiedName).toBe('@acme/kit/kit');
});

test('a package that declares nothing, and has no skills, serves nothing', async () => {
  await expect(compose({}, { 'skills/readme.md': 'None yet.' })).rejects.toThrow('no items to serve');
  await expect(compose({ tools: 'forecast' }, tea)).rejects.toThrow('"tools" of the manifest is not a list');
});

test('a server serves skills of other packages, and one of each name', async () => {
  const beside = (name: string, files: Files) => ({
    [`node_modules/${name}/package.json`]: packageJson({}, { name }),
    ...Object.fromEntries(
      Object.entries(files).map(([file, text]) => [`node_modules/${name}/${file}`, text]),
    ),
  });
  const composed = await composeServer(
    { ...tea, ...beside('@far/one', { ...paper, ...tea }) },
    { skills: ['tea', '@far/one/paper', '@far/one/tea', '@far/one/papr', '@far/two/ink'] },
  );
  const { request } = await openSession(composed);
  expect(names(await request('skills/list'))).toEqual(['paper', 'tea']);
  const { contents } = await request('resources/read', { uri: 'skill://tea/refs/times%20&%20more.md' });
  expect(contents[0].text).toBe('Four minutes.');
  expect(composed.spec.leftOut.map(({ code, message }) => [code, message])).toEqual([
    ['invalid-server', 'Server "main" lists the skill "@far/one/tea", but has another one named "tea".'],
    [
      'unresolved-reference',
      '@far/one has no skill "papr". Expected skills/papr/SKILL.md. Did you mean "paper"? It has: paper, tea.',
    ],
    ['unresolved-reference', expect.stringContaining('agenttools add @far/two')],
  ]);
});

test('skips skills beyond the limits', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 512 }, (_, index) => [`skills/many/${index}.txt`, '']),
  );
  const composed = await composeServer({
    ...paper,
    ...files,
    'skills/many/SKILL.md': skill('many'),
    'skills/large/SKILL.md': skill('large'),
  });
  truncateSync(path.join(composed.directory, 'skills/paper/SKILL.md'), 0);
  writeFileSync(path.join(composed.directory, 'skills/large/film.bin'), '');
  truncateSync(path.join(composed.directory, 'skills/large/film.bin'), 2 ** 34);
  const { request } = await openSession(composed);
  expect(names(await request('skills/list'))).toEqual([]);
  expect(composed.reports.toSorted()).toEqual([
    expect.stringContaining('"large" is left out: it has 1717'),
    expect.stringContaining('"many" is left out: it has more than 512 files'),
    expect.stringContaining('"paper" is left out'),
  ]);
});

test('skips invalid skills, and reports each once', async () => {
  const files = {
    ...paper,
    'skills/other/SKILL.md': skill('another'),
    'skills/bare/SKILL.md': 'No frontmatter.',
    'skills/linked/SKILL.md': skill('linked'),
  };
  const composed = await composeServer(files);
  symlinkSync(
    path.join(composed.directory, 'package.json'),
    path.join(composed.directory, 'skills/linked/all.json'),
  );
  const { request } = await openSession(composed);
  expect(names(await request('skills/list'))).toEqual(['paper']);
  await request('skills/list');
  expect(composed.reports.toSorted()).toEqual([
    expect.stringContaining('"bare" is left out'),
    expect.stringMatching(/"linked" is left out: all\.json is a link/),
    expect.stringMatching(/"other" is left out: .*must be the name of its folder, "other"/),
  ]);
});

test('a file that changes is served as it is', async () => {
  const composed = await composeServer(paper);
  const { request } = await openSession(composed);
  const [before] = (await request('skills/list')).skills;
  const text = `${skill('paper')}And again.\n`;
  writeFileSync(path.join(composed.directory, 'skills/paper/SKILL.md'), text);
  const [after] = (await request('skills/list')).skills;
  expect(after.resources[0].digest).not.toBe(before.resources[0].digest);
  const { contents } = await request('resources/read', { uri: after.uri });
  expect(contents[0].text).toBe(text);
});
