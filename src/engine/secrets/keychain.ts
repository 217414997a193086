import { createRequire } from 'node:module';
import { platform } from 'node:os';

/** The password store of the operating system. */
export interface Keychain {
  /** The text of an account; null without one. Rejects if the keychain is locked or unavailable. */
  read(account: string): Promise<string | null>;
  write(account: string, text: string): Promise<void>;
}

/** The part of the library that is used. */
interface KeyringLibrary {
  readonly AsyncEntry: new (
    service: string,
    username: string,
    options: { readonly linux: { readonly store: 'secret-service' } },
  ) => {
    getPassword(signal: AbortSignal): Promise<string | null>;
    setPassword(password: string, signal: AbortSignal): Promise<void>;
  };
}

/**
 * Library for keychains, installed by the user beside AgentTools. It is native code, so it is never bundled.
 * @see https://www.npmjs.com/package/@napi-rs/keyring
 */
const keyringLibrary: string = '@napi-rs/keyring';

/** Earlier versions fall back to a store in memory, which a restart of the machine empties. */
const firstMajor = 2;

/** Longest wait for a keychain, which may ask the user to unlock it, in milliseconds. */
const waitMs = 20_000;

/** The keychain of this system; undefined if the user has not installed the library. */
export async function findKeychain(): Promise<Keychain | undefined> {
  const library = await loadLibrary();
  if (!library) return undefined;
  const { AsyncEntry } = library;
  // Without a secret service, Linux must not fall back to its store in memory.
  const open = (account: string) =>
    new AsyncEntry('agenttools', account, { linux: { store: 'secret-service' } });
  return {
    read: async (account) => await open(account).getPassword(AbortSignal.timeout(waitMs)),
    write: async (account, text) => await open(account).setPassword(text, AbortSignal.timeout(waitMs)),
  };
}

async function loadLibrary(): Promise<KeyringLibrary | undefined> {
  try {
    const { version } = createRequire(import.meta.url)(`${keyringLibrary}/package.json`) as {
      version: string;
    };
    if (platform() === 'linux' && Number.parseInt(version, 10) < firstMajor) return undefined;
    return (await import(keyringLibrary)) as KeyringLibrary;
  } catch {
    return undefined;
  }
}
