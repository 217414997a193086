import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  changeConfig,
  reconcileRecord,
  reconcileRecords,
} from '../../../src/engine/clients/config-change.js';
import type { ConfigState } from '../../../src/engine/clients/ledger/config-plan.js';
import { planInstall } from '../../../src/engine/clients/ledger/install.js';
import { entryLocator } from '../../../src/engine/clients/ledger/slot.js';
import { planUninstall } from '../../../src/engine/clients/ledger/uninstall.js';
import type { FileRecord, Receipt } from '../../../src/engine/clients/receipt.js';
import { hashText, Receipts } from '../../../src/engine/clients/receipts.js';
import { writeFolder } from '../../support/packages.js';

let folder: string;
let file: string;
let receipts: Receipts;
let receipt: Receipt;

beforeEach(() => {
  folder = writeFolder();
  file = path.join(folder, 'client/settings/mcp.json');
  receipts = new Receipts({ folder: path.join(folder, 'data') });
  receipt = {
    client: 'cursor',
    scope: 'user',
    file,
    key: 'one',
    server: '@acme/kit/one',
    reference: '@acme/kit/one',
    argument: '@acme/kit/one',
    variables: [],
    entry: { command: 'node', args: ['a'] },
    version: '0.1.0',
    time: '2026-11-21T12:00:00.000Z',
    format: 'json',
    container: { path: ['mcpServers'], shape: 'map' },
  };
});

const options = () => ({ receipts, dryRun: false });
const toInstall = (state: ConfigState) =>
  planInstall(state, { receipt, place: entryLocator(receipt), force: false });
const toUninstall = (state: ConfigState) =>
  planUninstall(state, { receipt, place: entryLocator(receipt), force: false });

describe('a config file', () => {
  it('with hard links is refused, also by a dry run, and stays', async () => {
    file = path.join(writeFolder({ 'mcp.json': '{}' }), 'mcp.json');
    linkSync(file, path.join(folder, 'other.json'));
    for (const dryRun of [true, false]) {
      const refused = changeConfig(file, toInstall, { receipts, dryRun });
      await expect(refused).rejects.toMatchObject({ reason: 'hard-link', file });
    }
    expect(readFileSync(path.join(folder, 'other.json'), 'utf8')).toBe('{}');
    expect(await receipts.all()).toEqual({ records: [], notes: [] });
  });

  it('is removed with the folders that were created for it', async () => {
    await changeConfig(file, toInstall, options());
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.one).toEqual(receipt.entry);
    await changeConfig(file, toUninstall, options());
    expect(existsSync(path.join(folder, 'client'))).toBe(false);
    expect((await receipts.all()).records).toEqual([]);
  });

  it('keeps folders that hold other files or that another program made', async () => {
    mkdirSync(path.join(folder, 'client'));
    await changeConfig(file, toInstall, options());
    writeFileSync(path.join(folder, 'client/settings/log'), '');
    await changeConfig(file, toUninstall, options());
    expect(existsSync(path.join(folder, 'client/settings'))).toBe(true);
  });

  it('is changed through a link, under the name of what the link leads to', async () => {
    const target = path.join(folder, 'real.json');
    mkdirSync(path.dirname(file), { recursive: true });
    symlinkSync(target, file);
    await changeConfig(file, toInstall, options());
    expect((await receipts.read(target)).receipts).toHaveLength(1);
    await changeConfig(target, toUninstall, options());
    expect(existsSync(target)).toBe(false);
  });

  it('is recognised after a move that leaves a link', async () => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '{}');
    await changeConfig(file, toInstall, options());
    const moved = path.join(folder, 'dots.json');
    renameSync(file, moved);
    symlinkSync(moved, file);
    expect(await changeConfig(file, toInstall, options())).toMatchObject({ outcome: 'unchanged' });
    expect((await receipts.all()).records.map(({ realFile }) => realFile)).toEqual([moved]);
    await changeConfig(file, toUninstall, options());
    expect(readFileSync(moved, 'utf8')).toBe('{}');
    expect((await receipts.all()).records).toEqual([]);
  });

  it('is not touched by a dry run, nor is anything remembered', async () => {
    const change = await changeConfig(file, toInstall, { receipts, dryRun: true });
    expect(change).toMatchObject({ before: null, outcome: 'added' });
    expect(existsSync(path.join(folder, 'client'))).toBe(false);
    expect(existsSync(path.join(folder, 'data'))).toBe(false);
  });

  it('fails a dry run if read-only', async () => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '{}');
    chmodSync(file, 0o444);
    await expect(changeConfig(file, toInstall, { receipts, dryRun: true })).rejects.toThrow(/read-only/);
  });

  it('keeps the text that it had before', async () => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '{ "mine": 1 }');
    await changeConfig(file, toInstall, options());
    const kept = path.join(folder, 'data/previous', hashText(file), '000001-mcp.json');
    expect(readFileSync(kept, 'utf8')).toBe('{ "mine": 1 }');
  });

  it('is read again if it changes during the plan', async () => {
    let attempts = 0;
    const plan = async (state: ConfigState) => {
      const planned = await toInstall(state);
      attempts += 1;
      if (attempts === 1) writeFileSync(file, '{ "theirs": true }');
      return planned;
    };
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '{}');
    await changeConfig(file, plan, options());
    expect(attempts).toBe(2);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      theirs: true,
      mcpServers: { one: receipt.entry },
    });
  });

  it('is not changed if its receipt cannot be written', async () => {
    writeFileSync(path.join(folder, 'data'), 'a file where a folder should be');
    await expect(changeConfig(file, toInstall, options())).rejects.toThrow();
    expect(existsSync(file)).toBe(false);
  });
});

describe('an intent whose writer died', () => {
  const text = JSON.stringify({ mcpServers: { one: { command: 'node', args: ['a'] } } });

  function record(hash: string | null): FileRecord {
    const body = { version: 1, realFile: file, receipts: [], steps: [], made: [] } as const;
    return {
      ...body,
      intent: { beforeHash: hashText('{}'), hash, record: { ...body, receipts: [receipt] } },
    };
  }

  it.each([
    ['came true where the file is what it was to become', hashText(text), text, 1],
    ['came true where the client has written since, and the entry is there', hashText('other'), text, 1],
    ['never happened where the entry is not there', hashText('other'), '{}', 0],
    ['never happened where there is no file', hashText('other'), null, 0],
  ])('%s', async (_, hash, found, count) => {
    const settled = await reconcileRecord(record(hash), found);
    expect(settled.receipts).toHaveLength(count);
    expect(settled).not.toHaveProperty('intent');
  });

  it('did not drop a variable if the file is unchanged', async () => {
    const old = { ...receipt, entry: { ...receipt.entry, env: { A: '1', B: '2' } } };
    const next = { ...receipt, entry: { ...receipt.entry, env: { A: '1' } } };
    const before = JSON.stringify({ mcpServers: { one: old.entry } });
    const body = { version: 1, realFile: file, receipts: [old], steps: [], made: [] } as const;
    const intent = {
      beforeHash: hashText(before),
      hash: hashText('after'),
      record: { ...body, receipts: [next] },
    };
    for (const found of [before, `${before}\n`])
      expect((await reconcileRecord({ ...body, intent }, found)).receipts).toEqual([old]);
    const after = JSON.stringify({ mcpServers: { one: next.entry } });
    expect((await reconcileRecord({ ...body, intent }, after)).receipts).toEqual([next]);
  });

  it('is settled by the next install, which then has nothing to do', async () => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    await receipts.write(record(hashText(text)));
    expect(await changeConfig(file, toInstall, options())).toMatchObject({ outcome: 'unchanged' });
    const settled = await receipts.read(file);
    expect(settled.receipts).toEqual([receipt]);
    expect(settled).not.toHaveProperty('intent');
  });

  it('is completed by a reader of all records', async () => {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    await receipts.write(record(hashText(text)));
    const { records } = await reconcileRecords(receipts);
    expect(records.map((one) => one.receipts)).toEqual([[receipt]]);
  });
});
