import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Keychain } from '../../../src/engine/secrets/keychain.js';
import {
  maxSecretBytes,
  openSecretStore,
  type SecretStoreOptions,
} from '../../../src/engine/secrets/secret-store.js';
import { addFiles, writeFolder } from '../../support/packages.js';

let dataFolder: string;

beforeEach(() => {
  dataFolder = writeFolder();
});

const open = (options: Partial<SecretStoreOptions> = {}) => openSecretStore({ dataFolder, ...options });
const file = () => path.join(dataFolder, 'secrets', 'secrets.json');
const modeOf = (place: string) => statSync(place).mode & 0o777;

/** A keychain in memory. */
function fakeKeychain(): Keychain & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    read: async (account) => entries.get(account) ?? null,
    write: async (account, text) => void entries.set(account, text),
  };
}

describe('a store', () => {
  it('is empty and writes nothing before the first secret', async () => {
    expect(await open().get('A')).toBeUndefined();
    expect(await open().list()).toEqual([]);
    expect(await open().remove('A')).toBe(false);
    expect(existsSync(file())).toBe(false);
  });

  it('keeps values by name until they are removed', async () => {
    const store = open();
    await store.set('B', 'two');
    await store.set('A', 'one');
    await store.set('A', 'one again');
    expect(await open().get('A')).toBe('one again');
    const listed = await open().list();
    expect(listed.map(({ name, isEncrypted }) => [name, isEncrypted])).toEqual([
      ['A', false],
      ['B', false],
    ]);
    expect(Date.parse(listed[0]!.changed)).toBeGreaterThan(Date.now() - 60_000);
    expect(await open().remove('A')).toBe(true);
    expect(await open().get('A')).toBeUndefined();
    expect(await open().get('B')).toBe('two');
  });

  it.each(['__proto__', 'constructor', 'toString', '../x', 'a/b', '', 'ä\n\u0000', 'long'.repeat(9)])(
    'takes %j as a name like any other',
    async (name) => {
      expect(await open().get(name)).toBeUndefined();
      await open().set(name, 'value');
      expect(await open().get(name)).toBe('value');
      expect((await open().list()).map((one) => one.name)).toEqual([name]);
      expect(readdirSync(dataFolder).sort()).toEqual(['locks', 'secrets']);
      expect(await open().remove(name)).toBe(true);
    },
  );

  it('keeps values exactly, up to the largest that a variable can hold', async () => {
    const values = ['', ' \r\n\n', '\uFEFF"\\', 'x'.repeat(maxSecretBytes)];
    for (const value of values) {
      await open().set('A', value);
      expect(await open().get('A')).toBe(value);
    }
  });

  it.each([
    ['1 MB', 'secret'.repeat(200_000), /has 1200000 bytes. A secret can have at most/],
    ['a NUL character', 'secret\0', /NUL character/],
  ])('refuses a value of %s without naming it', async (_, value, message) => {
    const failure = await open()
      .set('A', value)
      .catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'refused', message: expect.stringMatching(message) });
    expect(String(failure)).not.toContain('secretsecret');
    expect(await open().get('A')).toBeUndefined();
  });

  it('has collections that do not see each other', async () => {
    await open({ collection: 'sign-ins' }).set('A', 'token');
    expect(await open().get('A')).toBeUndefined();
    expect(await open({ collection: 'sign-ins' }).get('A')).toBe('token');
  });
});

describe('several writers', () => {
  it('lose no value', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `N${index}`);
    await Promise.all(names.map((name) => open().set(name, name)));
    expect((await open().list()).map(({ name }) => name)).toEqual(names.sort());
  });

  it('update one value in turn, and each sees the value before', async () => {
    let refreshes = 0;
    const refresh = () =>
      open().update('token', async (current) => {
        if (current === 'new') return current;
        refreshes += 1;
        await delay(20);
        return 'new';
      });
    expect(await Promise.all([refresh(), refresh(), refresh()])).toEqual(['new', 'new', 'new']);
    expect(refreshes).toBe(1);
  });

  it('change other values while one is updated', async () => {
    let finish = () => {};
    const waiting = open().update('A', () => new Promise((done) => (finish = () => done('a'))));
    await open().set('B', 'b');
    finish();
    await waiting;
    expect([await open().get('A'), await open().get('B')]).toEqual(['a', 'b']);
  });
});

describe('an update', () => {
  it('removes the value by undefined, and keeps it on a failure', async () => {
    await open().set('A', 'a');
    const failed = open().update('A', () => Promise.reject(new Error('no answer')));
    await expect(failed).rejects.toThrow('no answer');
    expect(await open().get('A')).toBe('a');
    expect(await open().update('A', async () => undefined)).toBeUndefined();
    expect(await open().list()).toEqual([]);
  });

  it('writes nothing if the value stays', async () => {
    await open().set('A', 'a');
    const before = statSync(file()).ino;
    await open().update('A', async (current) => current);
    expect(statSync(file()).ino).toBe(before);
  });
});

describe.skipIf(process.platform === 'win32')('the file', () => {
  it('can be read by its owner only, as can its folder', async () => {
    await open().set('A', 'a');
    expect([modeOf(file()), modeOf(path.dirname(file()))]).toEqual([0o600, 0o700]);
  });

  it.each(['get', 'set', 'list', 'remove', 'update'] as const)(
    'is closed to others by "%s" with a note',
    async (method) => {
      await open().set('A', 'a');
      chmodSync(file(), 0o644);
      chmodSync(path.dirname(file()), 0o755);
      const notes: string[] = [];
      const store = open({ warn: (note) => notes.push(note) });
      if (method === 'set') await store.set('B', 'b');
      else if (method === 'update') await store.update('A', async () => 'b');
      else await store[method]('A');
      expect([modeOf(file()), modeOf(path.dirname(file()))]).toEqual([0o600, 0o700]);
      expect(notes).toEqual([
        expect.stringMatching(/secrets holds secrets, and other users had access to it \(mode 0755\)/),
        expect.stringMatching(/secrets\.json .* \(mode 0644\)/),
      ]);
    },
  );

  it.each(['file', 'folder'])('is refused if the %s is a link', async (which) => {
    await open().set('A', 'a');
    const place = which === 'file' ? file() : path.dirname(file());
    renameSync(place, `${dataFolder}/elsewhere`);
    symlinkSync(`${dataFolder}/elsewhere`, place);
    await expect(open().get('A')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('is a link'),
    });
    await expect(open().set('A', 'b')).rejects.toMatchObject({ code: 'refused' });
  });

  it.skipIf(process.geteuid?.() !== 0)('is refused if it belongs to another user', async () => {
    await open().set('A', 'a');
    const { chownSync } = await import('node:fs');
    chownSync(file(), 65_534, 65_534);
    await expect(open().get('A')).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('belongs to another user'),
    });
  });

  it.each([
    ['of a newer version', { version: 2, secrets: [] }, /written by a newer version of AgentTools/],
    ['of another form', { version: 1, secrets: { A: 'a' } }, /is damaged/],
    ['that is cut off', '{ "version": 1, "secr', /is damaged/],
  ])('%s is refused and kept', async (_, content, message) => {
    addFiles(dataFolder, { 'secrets/secrets.json': content });
    const before = readFileSync(file(), 'utf8');
    await expect(open().get('A')).rejects.toThrow(message);
    await expect(open().set('A', 'a')).rejects.toThrow(message);
    expect(readFileSync(file(), 'utf8')).toBe(before);
  });

  it('keeps the old values if the new ones cannot be written', async () => {
    await open().set('A', 'a');
    chmodSync(file(), 0o400);
    await expect(open().set('A', 'b')).rejects.toMatchObject({ code: 'refused' });
    expect(await open().get('A')).toBe('a');
    expect(readdirSync(path.dirname(file()))).toEqual(['secrets.json']);
  });

  it('loses no value and no temporary file when a writer is killed', async () => {
    await open().set('A', 'a');
    // A temporary file of a process that has ended.
    const { temporaryFile } = await import('../../../src/engine/base/files/temporary.js');
    const left = temporaryFile(path.dirname(file())).replace(/-\d+-\d+-/, '-999999999-1-');
    writeFileSync(left, 'half a file with a secret');
    await open().set('B', 'b');
    expect(readdirSync(path.dirname(file()))).toEqual(['secrets.json']);
    expect(await open().get('A')).toBe('a');
  });
});

describe('a keychain', () => {
  it('gives the key that encrypts all values', async () => {
    const keychain = fakeKeychain();
    const store = open({ findKeychain: async () => keychain });
    await store.set('A', 'plain text of A');
    await store.set('B', 'plain text of B');
    expect(readFileSync(file(), 'utf8')).not.toContain('plain text');
    expect([...keychain.entries.values()].join()).not.toContain('plain text');
    expect(keychain.entries.size).toBe(1);
    expect((await store.list()).map(({ isEncrypted }) => isEncrypted)).toEqual([true, true]);
    expect(await store.get('B')).toBe('plain text of B');
  });

  it('leaves values plain while it is not available, and keeps the encrypted ones', async () => {
    const keychain = fakeKeychain();
    await open({ findKeychain: async () => keychain }).set('A', 'a');
    const locked: Keychain = {
      read: () => Promise.reject(new Error('locked')),
      write: () => Promise.reject(new Error('locked')),
    };
    for (const found of [locked, undefined]) {
      const store = open({ findKeychain: async () => found });
      await store.set('B', 'b');
      expect(await store.get('B')).toBe('b');
      await expect(store.get('A')).rejects.toThrow(
        'The secret A cannot be decrypted: the keychain of the system does not give the key, or is not available here.',
      );
    }
    expect(await open({ findKeychain: async () => keychain }).get('A')).toBe('a');
  });

  it('may lose the key: the secret can be set again', async () => {
    const keychain = fakeKeychain();
    const store = open({ findKeychain: async () => keychain });
    await store.set('A', 'a');
    keychain.entries.clear();
    await expect(store.get('A')).rejects.toThrow('set the secret again');
    await store.set('A', 'b');
    expect(await store.get('A')).toBe('b');
    await store.set('C', 'c');
    expect((await store.list()).map(({ isEncrypted }) => isEncrypted)).toEqual([false, true]);
  });

  it('encrypts nothing if it does not keep the key', async () => {
    const forgetful: Keychain = { read: async () => null, write: async () => {} };
    const store = open({ findKeychain: async () => forgetful });
    await store.set('A', 'a');
    expect(await store.get('A')).toBe('a');
  });

  it('refuses an encrypted value under another name, or with another key', async () => {
    const keychain = fakeKeychain();
    const store = open({ findKeychain: async () => keychain });
    await store.set('A', 'a');
    const record = JSON.parse(readFileSync(file(), 'utf8'));
    record.secrets.B = record.secrets.A;
    addFiles(dataFolder, { 'secrets/secrets.json': record });
    await expect(store.get('B')).rejects.toThrow('does not fit');
    keychain.entries.set(record.keyAccount, Buffer.alloc(32).toString('base64'));
    await expect(store.get('A')).rejects.toThrow('does not fit');
  });
});

it('makes no folder that others can enter', async () => {
  const parent = path.join(dataFolder, 'new');
  await openSecretStore({ dataFolder: parent }).set('A', 'a');
  expect(modeOf(parent)).toBe(0o700);
  mkdirSync(path.join(parent, 'x'));
});
