import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { rethrowAsUserError } from '../base/file-fault.js';
import { withLock } from '../base/files/lock.js';
import { findKeychain, type Keychain } from './keychain.js';
import { createKey, isKey, seal, unseal } from './sealed-value.js';
import { SecretFile, type SecretFileContent, type SecretRecord } from './secret-file.js';

/** Separate stores: secrets that users name, and the tokens of sign-ins. */
type SecretCollection = 'secrets' | 'sign-ins';

/** A secret without its value. */
export interface StoredSecret {
  readonly name: string;
  /** Time of the last change, ISO 8601. */
  readonly changed: string;
  /** True if the value is encrypted with a key in the keychain of the system. */
  readonly isEncrypted: boolean;
}

/** Secret values by name. All methods may be called by several processes at once. */
export interface SecretStore {
  /** The value; undefined without one. @throws AgentToolsError if it cannot be read or decrypted */
  get(name: string): Promise<string | undefined>;
  /** @throws AgentToolsError if the value is too large, or cannot be written */
  set(name: string, value: string): Promise<void>;
  /** Returns false if there was no such secret. @throws AgentToolsError */
  remove(name: string): Promise<boolean>;
  /** Sorted by name. @throws AgentToolsError */
  list(): Promise<readonly StoredSecret[]>;
  /**
   * Computes a value from the present one, and stores it; undefined removes it. Returns the new value. One
   * process at a time: others wait, and then see the new value. `change` must not call the store with the
   * same name. If it rejects, the value stays.
   * @throws AgentToolsError, also if another process holds the secret longer than 30 seconds
   */
  update(
    name: string,
    change: (current: string | undefined) => Promise<string | undefined>,
  ): Promise<string | undefined>;
}

/** Surroundings of a store. */
export interface SecretStoreOptions {
  readonly dataFolder: string;
  /** Default: `secrets`. */
  readonly collection?: SecretCollection;
  /** Receives a note when other users had access to the file. */
  readonly warn?: (note: string) => void;
  /** Default: the keychain of the system. */
  readonly findKeychain?: () => Promise<Keychain | undefined>;
}

const wordings: Readonly<Record<SecretCollection, { readonly subject: string; readonly advice: string }>> = {
  secrets: { subject: 'The secret', advice: 'Unlock the keychain, or set the secret again' },
  'sign-ins': { subject: 'The sign-in for', advice: 'Unlock the keychain, or sign in again' },
};

/** Largest value, in bytes. Linux passes no larger variables to programs. */
export const maxSecretBytes: number = 128 * 1024 - 1024;

export function openSecretStore(options: SecretStoreOptions): SecretStore {
  return new FileSecretStore(options);
}

/**
 * Values are in one file, encrypted if the system has a keychain for the key. The keychain does not hold the
 * values themselves: Windows limits their size, and several processes could not change them in turn.
 */
class FileSecretStore implements SecretStore {
  readonly #collection: SecretCollection;
  readonly #file: SecretFile;
  readonly #lockFile: (name: string) => string;
  readonly #findKeychain: () => Promise<Keychain | undefined>;

  constructor({
    dataFolder,
    collection = 'secrets',
    warn = () => {},
    findKeychain: find = findKeychain,
  }: SecretStoreOptions) {
    this.#collection = collection;
    this.#file = new SecretFile(path.join(dataFolder, 'secrets', `${collection}.json`), warn);
    this.#lockFile = (name) => path.join(dataFolder, 'locks', `${collection}${name}.lock`);
    this.#findKeychain = find;
  }

  async get(name: string): Promise<string | undefined> {
    const content = await this.#file.read();
    const record = content.secrets.get(name);
    return record && (await this.#open(name, record, content));
  }

  async set(name: string, value: string): Promise<void> {
    requireFitting(name, value);
    await this.#inTurn(name, () => this.#change((content) => this.#store(name, value, content)));
  }

  async remove(name: string): Promise<boolean> {
    return await this.#inTurn(name, async () => {
      let wasThere = false;
      await this.#change(async (content) => {
        wasThere = content.secrets.has(name);
        return withSecret(content, name, undefined);
      });
      return wasThere;
    });
  }

  async list(): Promise<readonly StoredSecret[]> {
    const { secrets } = await this.#file.read();
    const listed = [...secrets].map(([name, record]) => ({
      name,
      changed: record.changed,
      isEncrypted: 'sealed' in record,
    }));
    return listed.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async update(
    name: string,
    change: (current: string | undefined) => Promise<string | undefined>,
  ): Promise<string | undefined> {
    return await this.#inTurn(name, async () => {
      const before = await this.get(name);
      const value = await change(before);
      if (value === before) return value;
      if (value !== undefined) requireFitting(name, value);
      await this.#change((content) => this.#store(name, value, content));
      return value;
    });
  }

  async #store(
    name: string,
    value: string | undefined,
    content: SecretFileContent,
  ): Promise<SecretFileContent> {
    if (value === undefined) return withSecret(content, name, undefined);
    const changed = new Date().toISOString();
    const sealing = await this.#keyForWriting(content);
    if (!sealing) return withSecret(content, name, { changed, value });
    const { account, key } = sealing;
    return {
      ...withSecret(content, name, { changed, sealed: seal(value, { name, key }) }),
      keyAccount: account,
    };
  }

  /** The key of the file, or a new one; undefined if no keychain is available. */
  async #keyForWriting({ keyAccount, secrets }: SecretFileContent) {
    const keychain = await this.#findKeychain();
    if (!keychain) return undefined;
    try {
      const key = keyAccount === undefined ? null : await keychain.read(keyAccount);
      if (keyAccount !== undefined && key !== null && isKey(key)) return { account: keyAccount, key };
      // A new key would make the other values unreadable, even if the old key comes back.
      if ([...secrets.values()].some((record) => 'sealed' in record)) return undefined;
      const account = randomUUID();
      const created = createKey();
      await keychain.write(account, created);
      return (await keychain.read(account)) === created ? { account, key: created } : undefined;
    } catch {
      return undefined;
    }
  }

  async #open(name: string, record: SecretRecord, { keyAccount }: SecretFileContent): Promise<string> {
    if ('value' in record) return record.value;
    const keychain = await this.#findKeychain();
    const key = keychain && keyAccount ? await keychain.read(keyAccount).catch(() => null) : null;
    const value = key === null ? undefined : unseal(record.sealed, { name, key });
    if (value !== undefined) return value;
    const reason =
      key === null
        ? 'the keychain of the system does not give the key, or is not available here'
        : 'the key in the keychain of the system does not fit';
    const { subject, advice } = wordings[this.#collection];
    const message = `${subject} ${name} cannot be decrypted: ${reason}. ${advice}.`;
    throw new AgentToolsError('refused', message);
  }

  /** Runs one change of a secret at a time, also those that wait for a server. */
  async #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
    return await rethrowAsUserError(() => withLock(this.#lockFile(`-${digest}`), work));
  }

  async #change(next: (content: SecretFileContent) => Promise<SecretFileContent>): Promise<void> {
    await rethrowAsUserError(() => withLock(this.#lockFile(''), () => this.#file.change(next)));
  }
}

function withSecret(
  content: SecretFileContent,
  name: string,
  record: SecretRecord | undefined,
): SecretFileContent {
  if (!record && !content.secrets.has(name)) return content;
  const secrets = new Map(content.secrets);
  if (record) secrets.set(name, record);
  else secrets.delete(name);
  return { ...content, secrets };
}

function requireFitting(name: string, value: string): void {
  if (value.includes('\0')) {
    const message = `The value for ${name} has a NUL character, which no variable and no header can hold.`;
    throw new AgentToolsError('refused', message);
  }
  const bytes = Buffer.byteLength(value);
  if (bytes <= maxSecretBytes) return;
  const message = `The value for ${name} has ${bytes} bytes. A secret can have at most ${maxSecretBytes} bytes.`;
  throw new AgentToolsError('refused', message);
}
