import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { AgentToolsError } from '../../../src/engine/base/errors.js';
import type { FileRecord, Receipt } from '../../../src/engine/clients/receipt.js';
import { hashText, Receipts } from '../../../src/engine/clients/receipts.js';
import { addFiles, writeFolder } from '../../support/packages.js';

const realFile = '/home/ada/.cursor/mcp.json';

const receipt: Receipt = {
  client: 'cursor',
  scope: 'user',
  file: '/home/ada/link.json',
  key: 'weather',
  server: '@acme/kit/weather',
  reference: 'weather',
  argument: '@acme/kit/weather',
  variables: ['API_KEY'],
  entry: { command: 'node', args: ['--flag', 'é'], env: { API_KEY: 'secret' }, timeout: 1.5 },
  version: '0.1.0',
  time: '2026-10-01T12:00:00.000Z',
  format: 'jsonc',
  container: { path: ['mcpServers'], shape: 'map' },
};

const record: FileRecord = {
  version: 1,
  realFile,
  receipts: [
    receipt,
    {
      ...receipt,
      scope: 'project',
      key: 'other',
      project: '/home/ada/project',
      replaced: JSON.parse('{"__proto__":1,"command":null}'),
      additions: [{ list: ['inputs'], item: { id: 'key' } }],
      template: '{}\n',
      displaced: [receipt],
    },
  ],
  steps: [
    {
      slot: '["mcpServers","weather"]',
      splice: { offset: 3, removed: '', inserted: '\r\n\t"weather": {}' },
      beforeHash: null,
      afterHash: hashText('after'),
    },
  ],
  made: ['["mcpServers"]'],
  madeFolder: '/home/ada/.cursor',
};

const empty: FileRecord = { version: 1, realFile, receipts: [], steps: [], made: [] };
const { intent: _, ...body } = record;

let folder: string;
let receipts: Receipts;
const recordName = `receipts/${hashText(realFile)}.json`;

beforeEach(() => {
  folder = path.join(writeFolder(), 'data');
  receipts = new Receipts({ folder });
});

async function refusalOf(work: Promise<unknown>): Promise<AgentToolsError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(AgentToolsError);
  expect(error).toMatchObject({ code: 'refused' });
  return error as AgentToolsError;
}

function modeOf(name: string): number {
  return statSync(path.join(folder, name)).mode & 0o777;
}

describe('a record', () => {
  it('is empty where we wrote nothing', async () => {
    expect(await receipts.read(realFile)).toEqual(empty);
  });

  it.each<[string, FileRecord]>([
    ['with all there is to know', record],
    ['with an intent', { ...empty, intent: { beforeHash: null, hash: hashText('next'), record: body } }],
    [
      'with the intent to delete the file',
      { ...record, intent: { beforeHash: null, hash: null, record: empty } },
    ],
  ])('%s is read as it was written', async (_what, written) => {
    await receipts.write(written);
    expect(await receipts.read(realFile)).toEqual(written);
    expect(JSON.stringify(await receipts.read(realFile))).toBe(JSON.stringify(written));
  });

  it('is for its owner only, and so are its folders', async () => {
    await receipts.write(record);
    expect([modeOf(''), modeOf('receipts'), modeOf(recordName)]).toEqual([0o700, 0o700, 0o600]);
    expect(readdirSync(path.join(folder, 'receipts'))).toEqual([path.basename(recordName)]);
  });

  it('is gone when there is nothing to remember', async () => {
    await receipts.write(record);
    await receipts.write(empty);
    expect(readdirSync(path.join(folder, 'receipts'))).toEqual([]);
  });

  it('creates no folder if it is empty', async () => {
    await receipts.write(empty);
    expect(readdirSync(path.dirname(folder))).toEqual([]);
  });

  it('keeps what a later version added', async () => {
    const later = { ...record, mood: 'good', receipts: [{ ...receipt, mood: 'good' }] };
    addFiles(folder, { [recordName]: later });
    expect(await receipts.read(realFile)).toEqual(later);
  });

  it.each<[string, unknown]>([
    ['no text', ''],
    ['half a text', JSON.stringify(record).slice(0, 100)],
    ['no object', []],
    ['no version', { ...record, version: undefined }],
    ['the record of another file', { ...record, realFile: '/elsewhere' }],
    ['no receipts', { ...record, receipts: undefined }],
    ['receipts that are none', { ...record, receipts: [{}] }],
    ['an entry that is none', { ...record, receipts: [{ ...receipt, entry: 'node' }] }],
    ['an unknown format', { ...record, receipts: [{ ...receipt, format: 'xml' }] }],
    ['a container that is none', { ...record, receipts: [{ ...receipt, container: { path: 'x' } }] }],
    ['a step that is none', { ...record, steps: [{ ...record.steps[0], splice: { offset: 0.5 } }] }],
    ['an intent that is none', { ...record, intent: { beforeHash: null, hash: null, record: {} } }],
  ])('with %s is damaged, and stays', async (_what, content) => {
    addFiles(folder, { [recordName]: content });
    const file = path.join(folder, recordName);
    const text = readFileSync(file, 'utf8');
    const { message } = await refusalOf(receipts.read(realFile));
    expect(message).toBe(
      `${file}, a record of what was installed, is damaged. Repair it, or move it away: AgentTools then treats the entries in it as foreign.`,
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is not changed if a newer version wrote it', async () => {
    addFiles(folder, { [recordName]: { ...record, version: 2 } });
    const { message } = await refusalOf(receipts.read(realFile));
    expect(message).toBe(
      `${path.join(folder, recordName)} was written by a newer version of AgentTools. Update AgentTools.`,
    );
  });

  it('is named in the error if it is not UTF-8', async () => {
    addFiles(folder, { 'receipts/x': '' });
    const file = path.join(folder, recordName);
    writeFileSync(file, Buffer.from([0xff]));
    expect((await refusalOf(receipts.read(realFile))).message).toContain(`${file} is not UTF-8`);
  });

  it.each([
    ['the folder is read-only', () => chmodSync(path.join(folder, 'receipts'), 0o500)],
    ['the record is read-only', () => chmodSync(path.join(folder, recordName), 0o400)],
  ])('reports that it cannot be written: %s', async (_why, forbid) => {
    await receipts.write(record);
    onTestFinished(() => chmodSync(path.join(folder, 'receipts'), 0o700));
    forbid();
    const { message } = await refusalOf(receipts.write({ ...record, steps: [] }));
    expect(message).toContain(`The record of ${realFile} cannot be written: ${folder}`);
    expect(await receipts.read(realFile)).toEqual(record);
  });

  it('cannot be kept where a file is in the way', async () => {
    addFiles(path.dirname(folder), { data: 'a file' });
    expect((await refusalOf(receipts.write(record))).message).toContain(folder);
    expect((await refusalOf(receipts.read(realFile))).message).toContain(folder);
    expect((await refusalOf(receipts.all())).message).toContain(folder);
    expect((await refusalOf(receipts.keepPrevious(realFile, ''))).message).toContain(folder);
  });
});

describe('all records', () => {
  it('are empty before the first record', async () => {
    expect(await receipts.all()).toEqual({ records: [], notes: [] });
  });

  it('come in order, without what is damaged or something else', async () => {
    const second = { ...record, realFile: '/b.json' };
    const first = { ...record, realFile: '/a.json' };
    for (const one of [record, second, first]) await receipts.write(one);
    addFiles(folder, {
      'receipts/bad.json': 'x',
      'receipts/.agenttools-x.tmp': 'x',
      'receipts/notes.txt': 'x',
    });
    symlinkSync('nowhere', path.join(folder, 'receipts/link.json'));
    const { records, notes } = await receipts.all();
    expect(records).toEqual([first, second, record]);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(path.join(folder, 'receipts/bad.json'));
  });
});

describe('previous texts', () => {
  const previous = () => path.join(folder, 'previous', hashText(realFile));
  const texts = () => {
    const names = readdirSync(previous()).sort();
    return names.map((name) => readFileSync(path.join(previous(), name), 'utf8'));
  };

  it('are kept as they were, the last five of each file', async () => {
    await receipts.keepPrevious('/b.json', 'other');
    for (let number = 1; number <= 12; number++) {
      await receipts.keepPrevious(realFile, `\uFEFF${number}\r\n`);
      expect(texts().at(-1)).toBe(`\uFEFF${number}\r\n`);
    }
    expect(texts()).toEqual([8, 9, 10, 11, 12].map((number) => `\uFEFF${number}\r\n`));
    expect(readdirSync(path.join(folder, 'previous', hashText('/b.json')))).toEqual(['000001-b.json']);
  });

  it('are for their owner only', async () => {
    await receipts.keepPrevious(realFile, '{}');
    const name = path.relative(folder, previous());
    expect([modeOf('previous'), modeOf(name), modeOf(`${name}/000001-mcp.json`)]).toEqual([
      0o700, 0o700, 0o600,
    ]);
  });

  it('are not kept twice in a row', async () => {
    for (const text of ['a', 'a', 'b', 'a', 'a']) await receipts.keepPrevious(realFile, text);
    expect(texts()).toEqual(['a', 'b', 'a']);
  });

  it('may be empty', async () => {
    await receipts.keepPrevious(realFile, '');
    expect(texts()).toEqual(['']);
  });

  it('keep files of other programs', async () => {
    for (let number = 1; number <= 6; number++) await receipts.keepPrevious(realFile, `${number}`);
    addFiles(previous(), { 'zzz.txt': 'mine' });
    await receipts.keepPrevious(realFile, '7');
    expect(texts()).toEqual(['3', '4', '5', '6', '7', 'mine']);
  });
});

it('has a lock for each file', () => {
  expect(receipts.lockFileOf(realFile)).toBe(path.join(folder, 'locks', `${hashText(realFile)}.lock`));
  expect(receipts.lockFileOf('/b.json')).not.toBe(receipts.lockFileOf(realFile));
});

it('hashes by SHA-256', () => {
  expect(hashText('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

it('the folder is kept out of a repository that it may be moved into', async () => {
  await receipts.write(record);
  expect(readFileSync(path.join(folder, '.gitignore'), 'utf8')).toBe('*\n');
});
