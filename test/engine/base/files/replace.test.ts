import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ConcurrentChangeError, FileAccessError } from '../../../../src/engine/base/files/file-error.js';
import { replaceTextFile } from '../../../../src/engine/base/files/replace.js';
import { checkWritable, readTextFile } from '../../../../src/engine/base/files/text-file.js';
import { addFiles, writeFolder } from '../../../support/packages.js';

/** What happens just before a file gets its place; an error is what the system then says. */
const atLink = vi.hoisted(() => ({ do: undefined as (() => void) | undefined }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>();
  const link: typeof original.link = async (...args) => {
    atLink.do?.();
    return await original.link(...args);
  };
  return { ...original, link };
});

afterEach(() => {
  atLink.do = undefined;
});

async function replace(file: string, text: string | null): Promise<void> {
  await replaceTextFile(await readTextFile(file), text);
}

/** The reason and sentence of a refusal. */
async function refusal(
  work: Promise<unknown>,
): Promise<{ readonly reason: string; readonly message: string }> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FileAccessError);
  return error as FileAccessError;
}

describe('reading', () => {
  it('keeps every character, a byte order mark and line ends included', async () => {
    const text = '\uFEFF{ "naïve": "🎈" }\r\n\t// end';
    const folder = writeFolder({ 'a.json': text });
    const file = path.join(folder, 'a.json');
    chmodSync(file, 0o640);
    expect(await readTextFile(file)).toMatchObject({ file, realFile: file, text, mode: 0o640 });
  });

  it('returns null for a missing file and missing folders', async () => {
    const file = path.join(writeFolder(), 'a/b/c.json');
    expect(await readTextFile(file)).toEqual({
      file,
      realFile: file,
      text: null,
      mode: undefined,
      owner: undefined,
      hasOtherNames: false,
    });
  });

  it.each([
    ['a link', { 'link.json': 'real/a.json' }, 'link.json', 'real/a.json'],
    [
      'a link in a linked folder',
      { 'real/l.json': 'a.json', folder: 'real' },
      'folder/l.json',
      'real/a.json',
    ],
    ['a link to nothing', { 'link.json': 'real/new.json' }, 'link.json', 'real/new.json'],
    ['links to links to nothing', { 'l1.json': 'l2.json', 'l2.json': 'x/new.json' }, 'l1.json', 'x/new.json'],
    ['a linked folder that is nowhere', { folder: 'x/y' }, 'folder/a.json', 'x/y/a.json'],
    [
      'a way back out of a linked folder',
      { folder: 'real', 'l.json': 'folder/../new.json' },
      'l.json',
      'new.json',
    ],
  ])('follows %s', async (_what, links, asked, real) => {
    const folder = writeFolder({ 'real/a.json': '{}' });
    for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(folder, name));
    const { file, realFile } = await readTextFile(path.join(folder, asked));
    expect(file).toBe(path.join(folder, asked));
    expect(realFile).toBe(path.join(folder, real));
  });

  it.each([
    ['the first byte', [0xff, 0xfe, 0x7b], 'byte 0 (line 1, column 1)'],
    ['a byte in a later line', [...Buffer.from('{\n  "é": "'), 0xe9, 0x22], 'byte 11 (line 2, column 9)'],
    ['a character cut off by the end', [0x61, 0xe2, 0x82], 'byte 1 (line 1, column 2)'],
    ['what begins like the replacement character', [0x61, 0xef, 0xbf, 0x41], 'byte 1 (line 1, column 2)'],
  ])('refuses text that is not UTF-8, by %s', async (_what, bytes, place) => {
    const file = path.join(writeFolder(), 'a.json');
    writeFileSync(file, Buffer.from(bytes));
    const { reason, message } = await refusal(readTextFile(file));
    expect(reason).toBe('not-utf8');
    expect(message).toBe(`${file} is not UTF-8: ${place} does not belong. Save it as UTF-8 first.`);
  });

  it('takes a real replacement character for what it is', async () => {
    const folder = writeFolder({ 'a.json': '"\uFFFD"' });
    expect(await readTextFile(path.join(folder, 'a.json'))).toMatchObject({ text: '"\uFFFD"' });
  });

  it.each([
    ['folder', 'a folder', (file: string) => mkdirSync(file)],
    ['special', 'a named pipe', (file: string) => void execFileSync('mkfifo', [file])],
    ['special', 'a device', (file: string) => symlinkSync('/dev/zero', file)],
    ['link-loop', 'a cycle', (file: string) => symlinkSync(file, file)],
    [
      'too-large',
      'larger than 20 MB',
      (file: string) => writeFileSync(file, Buffer.alloc(20 * 1024 * 1024 + 1)),
    ],
    ['parent-not-folder', 'is a file', (file: string) => file],
  ])('refuses, as %s, %s', async (reason, words, make) => {
    const folder = writeFolder({ file: '' });
    const file = path.join(folder, reason === 'parent-not-folder' ? 'file/a.json' : 'a.json');
    make(file);
    const refused = await refusal(readTextFile(file));
    expect(refused.reason).toBe(reason);
    expect(refused.message).toContain(file);
    expect(refused.message).toContain(words);
  });

  it('refuses a socket', async () => {
    const file = path.join(writeFolder(), 'a.json');
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(file, resolve));
    onTestFinished(() => void server.close());
    expect((await refusal(readTextFile(file))).message).toBe(
      `${file} is a socket, not a regular file. Move it away, or name a file.`,
    );
  });
});

describe('a writable target', () => {
  it('excludes read-only files, even for root', async () => {
    const folder = writeFolder({ 'a.json': '{}' });
    const file = path.join(folder, 'a.json');
    chmodSync(file, 0o444);
    const { reason, message } = await refusal(checkWritable(await readTextFile(file)));
    expect(reason).toBe('read-only');
    expect(message).toContain('mode 0444');
    await refusal(replace(file, '[]'));
    await refusal(replace(file, null));
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  it.each(['a.json', 'new.json', 'x/y/new.json'])('is not %s in a folder that is read-only', async (name) => {
    const folder = writeFolder({ 'a.json': '{}' });
    chmodSync(folder, 0o555);
    onTestFinished(() => chmodSync(folder, 0o755));
    const { reason, message } = await refusal(replace(path.join(folder, name), '[]'));
    expect(reason).toBe('folder-not-writable');
    expect(message).toContain(folder);
    expect(readdirSync(folder)).toEqual(['a.json']);
    expect(readFileSync(path.join(folder, 'a.json'), 'utf8')).toBe('{}');
  });

  it('is a new file whose folders have to be made', async () => {
    await checkWritable(await readTextFile(path.join(writeFolder(), 'a/b/c.json')));
  });
});

describe('replacing', () => {
  it('writes the bytes, keeps the mode and leaves nothing else', async () => {
    const folder = writeFolder({ 'a.json': '{}' });
    const file = path.join(folder, 'a.json');
    chmodSync(file, 0o640);
    await replace(file, '\uFEFF["ü"]\r\n');
    expect(readFileSync(file)).toEqual(Buffer.from('\uFEFF["ü"]\r\n'));
    expect(statSync(file).mode & 0o7777).toBe(0o640);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('makes a new file that only its owner may read, and its folders', async () => {
    const file = path.join(writeFolder(), 'a/b/c.json');
    await replace(file, '{}');
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(statSync(file)).toMatchObject({ mode: 0o100600, nlink: 1 });
    expect(readdirSync(path.dirname(file))).toEqual(['c.json']);
  });

  it('keeps the owner', async () => {
    const folder = writeFolder({ 'a.json': '{}' });
    const file = path.join(folder, 'a.json');
    if (process.getuid?.() === 0) chownSync(file, 1234, 2345);
    const { uid, gid } = statSync(file);
    await replace(file, '[]');
    expect(statSync(file)).toMatchObject({ uid, gid });
  });

  it('keeps links, and writes where they lead', async () => {
    const folder = writeFolder({ 'real/a.json': '{}' });
    const link = path.join(folder, 'link.json');
    symlinkSync('real/a.json', link);
    await replace(link, '[]');
    expect(readlinkSync(link)).toBe('real/a.json');
    expect(readFileSync(path.join(folder, 'real/a.json'), 'utf8')).toBe('[]');
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'real']);
  });

  it('makes what a link leads to, and deletes it again, and the link stays', async () => {
    const folder = writeFolder();
    const link = path.join(folder, 'link.json');
    symlinkSync('far/away.json', link);
    await replace(link, '{}');
    expect(readFileSync(path.join(folder, 'far/away.json'), 'utf8')).toBe('{}');
    await replace(link, null);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readdirSync(path.join(folder, 'far'))).toEqual([]);
  });

  it('does nothing for the text that is there', async () => {
    const folder = writeFolder({ 'a.json': '{}' });
    const file = path.join(folder, 'a.json');
    const { ino } = statSync(file);
    chmodSync(file, 0o444);
    await replace(file, '{}');
    expect(statSync(file).ino).toBe(ino);
    await replace(path.join(folder, 'none.json'), null);
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('refuses half a character, which would become another one', async () => {
    const folder = writeFolder({ 'a.json': '{}' });
    const file = path.join(folder, 'a.json');
    expect((await refusal(replace(file, '"\uD83C"'))).reason).toBe('not-utf8');
    expect(readFileSync(file, 'utf8')).toBe('{}');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('works on a disk without hard links', async () => {
    atLink.do = () => {
      throw Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'link' });
    };
    const folder = writeFolder();
    await replace(path.join(folder, 'a.json'), '{}');
    expect(readFileSync(path.join(folder, 'a.json'), 'utf8')).toBe('{}');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });
});

describe('a file that another program changed during the edit', () => {
  it.each<[string, string | null, (file: string) => void]>([
    ['got another text of the same length', '{}', (file) => writeFileSync(file, '[]')],
    ['is gone', '{}', (file) => unlinkSync(file)],
    ['came into being', null, (file) => writeFileSync(file, '{"theirs":1}')],
    ['got other permissions', '{}', (file) => chmodSync(file, 0o600)],
  ])('is left alone when it %s', async (_what, text, change) => {
    const folder = writeFolder(text === null ? {} : { 'a.json': text });
    const file = path.join(folder, 'a.json');
    const before = await readTextFile(file);
    change(file);
    const theirs = existsSync(file) ? readFileSync(file, 'utf8') : null;
    await expect(replaceTextFile(before, '{"ours":1}')).rejects.toThrow(ConcurrentChangeError);
    if (text !== null) await expect(replaceTextFile(before, null)).rejects.toThrow(ConcurrentChangeError);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(theirs);
    expect(readdirSync(folder)).toEqual(theirs === null ? [] : ['a.json']);
  });

  it('is left alone when the link was turned elsewhere', async () => {
    const folder = writeFolder({ 'a.json': '{}', 'b.json': '{}' });
    const link = path.join(folder, 'link.json');
    symlinkSync('a.json', link);
    const before = await readTextFile(link);
    unlinkSync(link);
    symlinkSync('b.json', link);
    await expect(replaceTextFile(before, '[]')).rejects.toThrow(ConcurrentChangeError);
    for (const name of ['a.json', 'b.json']) expect(readFileSync(path.join(folder, name), 'utf8')).toBe('{}');
  });

  it('is left alone when it came into being in the very last moment', async () => {
    const folder = writeFolder();
    const file = path.join(folder, 'a.json');
    atLink.do = () => addFiles(folder, { 'a.json': 'theirs' });
    await expect(replace(file, 'ours')).rejects.toThrow(ConcurrentChangeError);
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('can be read again and replaced then', async () => {
    const folder = writeFolder({ 'a.json': '{}' });
    const file = path.join(folder, 'a.json');
    const before = await readTextFile(file);
    writeFileSync(file, '[]');
    await expect(replaceTextFile(before, '[1]')).rejects.toThrow(ConcurrentChangeError);
    await replace(file, '[1]');
    expect(readFileSync(file, 'utf8')).toBe('[1]');
  });
});
