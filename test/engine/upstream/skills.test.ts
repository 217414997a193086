import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { skillsExtension } from '../../../src/engine/protocol/protocol-extensions.js';
import { writeFolder } from '../../support/packages.js';
import { type Bench, openBench, pairs, scripted } from './support.js';

const manifest = '---\nname: tea\ndescription: About tea.\nmetadata:\n  cups: 2\n---\n\nBoil water.\n';
const leaf = Buffer.from([0xff, 0xfe]);

function fileOf(uri: string, content: string | Buffer) {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  return { uri, digest, size: Buffer.byteLength(content) };
}

const skill = {
  uri: 'skill://tea/SKILL.md',
  frontmatter: { name: 'tea', description: 'About tea.', metadata: { cups: 2 } },
  resources: [fileOf('skill://tea/SKILL.md', manifest), fileOf('skill://tea/leaf.bin', leaf)],
  odd: 1,
};
const contents = {
  'skill://tea/SKILL.md': { text: manifest },
  'skill://tea/leaf.bin': { blob: leaf.toString('base64') },
};
const resources = [{ uri: 'skill://tea/SKILL.md', name: 'tea' }];

const read = async ({ request }: Bench, uri: string) => await request('resources/read', { uri });

describe.each(pairs)('$downstream downstream, $upstream upstream: skills', ({ downstream, upstream }) => {
  /** A server whose upstream server has been started before: the extension is declared from then on. */
  const open = async (told: object = {}, entry: object = {}) => {
    const far = scripted({ era: upstream, resources, skills: [skill], contents, ...told });
    const dataFolder = writeFolder();
    const start = async () =>
      await openBench([{ place: far.place, ...entry }], { era: downstream, dataFolder });
    const first = await start();
    await first.request('tools/list');
    await first.request('resources/list');
    await first.close();
    const bench = await start();
    return { far, bench, ...bench };
  };

  test('are listed as they are, and no file is read before a client reads it', async () => {
    const { far, bench, request } = await open();
    expect((await request('skills/list')).skills).toEqual([skill]);
    expect((await request('skills/get', { uri: skill.uri })).skill).toEqual(skill);
    await request('resources/list');
    expect(far.noted().filter((line) => line.startsWith('read '))).toEqual([]);
    expect((await read(bench, 'skill://tea/SKILL.md')).contents[0].text).toBe(manifest);
    expect((await read(bench, 'skill://tea/leaf.bin')).contents[0].blob).toBe(leaf.toString('base64'));
    expect(far.noted().filter((line) => line.startsWith('read '))).toEqual([
      'read skill://tea/SKILL.md',
      'read skill://tea/leaf.bin',
    ]);
  });

  const other = manifest.replace('About tea.', 'About gold.');
  test.each([
    ['a digest', { text: manifest.replace('Boil', 'Spil') }, {}, 'its digest is not the listed one'],
    ['a size', { text: `${manifest}more` }, {}, 'it has 79 bytes, and the list names 75'],
    ['the front matter', { text: other }, fileOf(skill.uri, other), 'its front matter is not the listed one'],
    ['no front matter', { text: 'Tea' }, fileOf(skill.uri, 'Tea'), 'its front matter is not the listed one'],
    ['the address', { text: manifest, uri: 'skill://x' }, {}, 'the answer does not contain this file alone'],
  ])('are not used if %s differs', async (_, content, listed, problem) => {
    const [own, ...others] = skill.resources;
    const changed = { ...skill, resources: [{ ...own, ...listed }, ...others] };
    const { bench } = await open({ skills: [changed], contents: { ...contents, [skill.uri]: content } });
    expect(await read(bench, skill.uri)).toMatchObject({
      code: -32_603,
      message: `The skill file ${skill.uri} of the upstream server "far" is not used: ${problem}.`,
    });
    expect((await read(bench, 'skill://tea/leaf.bin')).contents).toHaveLength(1);
  });

  test('have folders with the listed files, and ask the upstream server for nothing', async () => {
    const files = ['a/one.md', 'a/b/two%20.txt', 'a/%zz', 'a//x', `${'x/'.repeat(2000)}y`].map((name) =>
      fileOf(`skill://tea/${name}`, ''),
    );
    const odd = [fileOf('skill://other/file', ''), { uri: 3 }, 'x'];
    const told = { skills: [{ ...skill, resources: [...skill.resources, ...files, ...odd] }] };
    const { far, request } = await open(told);
    await request('resources/list');
    const before = far.noted().length;
    const namesOf = async (uri: string) => {
      const { resources } = await request('resources/directory/read', { uri });
      return resources.map(({ name, mimeType }: Record<string, string>) => [name, mimeType]);
    };
    expect(await namesOf('skill://tea')).toEqual([
      ['SKILL.md', 'text/markdown'],
      ['leaf.bin', 'application/octet-stream'],
      ['a', 'inode/directory'],
    ]);
    expect(await namesOf('skill://tea/a/')).toEqual([
      ['one.md', 'text/markdown'],
      ['b', 'inode/directory'],
      ['%zz', undefined],
    ]);
    expect(await namesOf('skill://tea/a/b')).toEqual([['two .txt', 'text/plain']]);
    expect(await request('resources/directory/read', { uri: 'skill://other' })).toMatchObject({
      code: -32_602,
    });
    expect(far.noted().length).toBe(before);
  });

  test('without files in the list are read as any resource', async () => {
    const { bench, request } = await open({ skills: [{ ...skill, resources: 'dynamic' }] });
    expect((await request('skills/list')).skills).toHaveLength(1);
    expect((await read(bench, skill.uri)).contents[0].text).toBe(manifest);
  });

  test('are left out if they are malformed, twice or not chosen', async () => {
    const malformed = [{ ...skill, uri: 3 }, { ...skill, frontmatter: 'x' }, { uri: 'skill://x' }, 'x'];
    const { bench, request } = await open({ skills: [...malformed, skill, skill] });
    expect((await request('skills/list')).skills).toEqual([skill]);
    expect(bench.reported.join('\n')).toContain('lists a skill without an address, a front matter or files');
    const except = await open({}, { resources: { except: [skill.uri] } });
    expect((await except.request('skills/list')).skills ?? []).toEqual([]);
    const without = await open({}, { resources: false, apps: false });
    expect((await without.request('skills/list')).skills ?? []).toEqual([]);
  });
});

test('the extension is declared from the second start on', async () => {
  const dataFolder = writeFolder();
  const declared = async () => {
    const far = scripted({ era: 'modern', resources, skills: [skill], contents });
    const bench = await openBench([{ place: far.place }], { era: 'modern', dataFolder });
    const { capabilities } = await bench.request('server/discover');
    await bench.request('resources/list');
    await bench.close();
    return capabilities.extensions?.[skillsExtension];
  };
  expect(await declared()).toBeUndefined();
  expect(await declared()).toEqual({});
});
