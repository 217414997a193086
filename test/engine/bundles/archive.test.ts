import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { archiveLimits, openArchive } from '../../../src/engine/bundles/archive.js';
import { signZip, writeZip, type ZipEntry } from '../../support/zip.js';

const file: ZipEntry = { name: 'manifest.json', content: '{}' };

const open = async (entries: readonly ZipEntry[]) => await openArchive(writeZip(entries), 'x.mcpb');

test('lists files with their content and their executable bits', async () => {
  const archive = await open([
    file,
    { name: 'bin/', mode: 0o040755 },
    { name: 'bin/server', content: 'x'.repeat(1000), mode: 0o100755, deflate: true },
  ]);
  expect(archive.folders).toEqual(['bin']);
  expect([...archive.files.values()].map(({ path, isExecutable }) => [path, isExecutable])).toEqual([
    ['manifest.json', false],
    ['bin/server', true],
  ]);
  expect(await text(await archive.files.get('bin/server')!.open())).toBe('x'.repeat(1000));
});

describe('an entry is refused if it', () => {
  const hostile: Readonly<Record<string, readonly [ZipEntry | readonly ZipEntry[], string]>> = {
    'leaves the folder': [{ name: '../evil' }, 'leaves the folder by ".."'],
    'leaves the folder inside a path': [{ name: 'a/../../evil' }, 'leaves the folder by ".."'],
    'is absolute': [{ name: '/etc/passwd' }, 'is an absolute path'],
    'begins with a drive letter': [{ name: 'C:evil' }, 'begins with a drive letter'],
    'has a backslash': [{ name: 'a\\..\\evil' }, 'contains a backslash'],
    'is a UNC path': [{ name: '\\\\host\\share' }, 'contains a backslash'],
    'has a NUL character': [{ name: 'a\0.js' }, 'contains a NUL character'],
    'has a control character': [{ name: 'a\n.js' }, 'contains a control or undecodable character'],
    'has no name': [{ name: '' }, 'has no name'],
    'has an empty segment': [{ name: 'a//b' }, 'contains an empty or "." segment'],
    'has a dot segment': [{ name: './a' }, 'contains an empty or "." segment'],
    'names a stream': [{ name: 'a.txt:hidden' }, 'contains a colon'],
    'is a device': [{ name: 'lib/NUL.js' }, 'is the name of a device on Windows'],
    'is a serial port': [{ name: 'com1' }, 'is the name of a device on Windows'],
    'ends with a dot': [{ name: 'a.' }, 'ends with a dot or blank'],
    'ends with a blank': [{ name: 'folder /b' }, 'ends with a dot or blank'],
    'has a long name': [{ name: 'a'.repeat(256) }, 'of more than 255 bytes'],
    'has a long path': [{ name: 'a/'.repeat(600) }, 'is longer than 1024 characters'],
    'is a symbolic link': [{ name: 'link', content: '/etc', mode: 0o120777 }, 'is a symbolic link'],
    'is a device file': [{ name: 'device', mode: 0o020666 }, 'is neither a file nor a folder'],
    'is a pipe': [{ name: 'pipe', mode: 0o010666 }, 'is neither a file nor a folder'],
    'is a folder by mode only': [{ name: 'folder', mode: 0o040755 }, 'is neither a file nor a folder'],
    'is a folder with content': [
      { name: 'folder/', content: 'x', mode: 0o040755 },
      'is a folder with content',
    ],
    'is encrypted': [{ name: 'a', content: '0123456789ab', size: 0, isEncrypted: true }, 'is encrypted'],
    'is compressed by another method': [{ name: 'a', method: 12 }, 'the unknown method 12'],
    'is a duplicate': [[{ name: 'a' }, { name: 'a' }], 'is a duplicate'],
    'differs by case': [[{ name: 'A.js' }, { name: 'a.js' }], 'differs from "A.js" only in the case'],
    'differs by composition': [
      [{ name: '\u00e9.js' }, { name: 'e\u0301.js' }],
      'only in the case or the composition',
    ],
    'differs in a folder by case': [[{ name: 'Lib/a' }, { name: 'lib/b' }], 'differs from "Lib"'],
    'is a file and a folder': [[{ name: 'a/b' }, { name: 'a' }], 'is both a file and a folder'],
    'is in a file': [[{ name: 'a' }, { name: 'A/b' }], 'needs a folder in place of the file "a"'],
    'has two names': [{ name: 'good', localName: 'evil' }, 'has two names for the entry "good"'],
    'is inside another entry': [
      [
        { name: 'a', content: writeZip([{ name: 'b', content: 'x' }]).subarray(0, 32) },
        { name: 'b', content: 'x', offset: 45 + 31 },
      ],
      'has entries that share their content',
    ],
  };
  test.for(Object.entries(hostile))('%s', async ([, [entries, reason]]) => {
    const opened = open([file, entries].flat() as ZipEntry[]);
    await expect(opened).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining(reason),
    });
  });
});

describe('an archive is refused if it', () => {
  test('has too many entries, before they are read', async () => {
    const bytes = writeZip([file], { count: 60_000 });
    await expect(openArchive(bytes, 'x.mcpb')).rejects.toThrow(
      'has 60000 entries. At most 50000 are unpacked',
    );
  });

  test('is too large', async () => {
    const limits = { ...archiveLimits, fileBytes: 10 };
    await expect(openArchive(writeZip([file]), 'x.mcpb', limits)).rejects.toThrow('is larger than 0 MB');
  });

  test('unpacks to too much', async () => {
    const bytes = writeZip([file, { name: 'a', content: 'xy', deflate: true, size: 2 ** 31 }]);
    await expect(openArchive(bytes, 'x.mcpb')).rejects.toThrow('unpacks to more than 1024 MB');
  });

  test('is a zip bomb', async () => {
    const bomb = { name: 'zeros', content: Buffer.alloc(17 * 1024 ** 2), deflate: true };
    await expect(open([file, bomb])).rejects.toThrow('unpacks to more than 100 times its size');
  });

  test('is not a zip file', async () => {
    await expect(openArchive(Buffer.from('#!/bin/sh\n'), 'x.mcpb')).rejects.toThrow(
      'x.mcpb is not a readable zip file',
    );
  });

  test('is cut off', async () => {
    const bytes = writeZip([file]).subarray(0, -10);
    await expect(openArchive(bytes, 'x.mcpb')).rejects.toThrow('is not a readable zip file');
  });

  test('continues after its end without a signature', async () => {
    const bytes = Buffer.concat([writeZip([file]), Buffer.from('more')]);
    await expect(openArchive(bytes, 'x.mcpb')).rejects.toThrow('is not a readable zip file');
  });
});

test('accepts a signature behind the archive', async () => {
  const archive = await openArchive(signZip(writeZip([file])), 'x.mcpb');
  expect(archive.isSigned).toBe(true);
  expect([...archive.files.keys()]).toEqual(['manifest.json']);
});

test('stops at content that is larger than declared', async () => {
  const bytes = writeZip([{ name: 'a', content: 'x'.repeat(5000), deflate: true, size: 10 }]);
  const { files } = await openArchive(bytes, 'x.mcpb');
  await expect(text(await files.get('a')!.open())).rejects.toThrow('too many bytes');
});
