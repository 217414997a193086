import { openSecretStore, type SecretStore } from '../secrets/secret-store.js';
import { Account } from './account.js';
import { accountName, describeSignIn, type SignInFacts, SignInStore } from './sign-in-record.js';

export interface SignInsOptions {
  readonly dataFolder: string;
  /** Takes notes about the files of the secrets. */
  readonly warn?: (note: string) => void;
}

/** The sign-ins of this user to remote servers. */
export class SignIns {
  readonly #store: SignInStore;
  readonly #secrets: SecretStore;
  readonly #accounts = new Map<string, Account>();

  constructor({ dataFolder, warn }: SignInsOptions) {
    const options = { dataFolder, ...(warn && { warn }) };
    this.#store = new SignInStore(openSecretStore({ ...options, collection: 'sign-ins' }));
    this.#secrets = openSecretStore(options);
  }

  /** The account for a server, signed in or not. */
  account(server: string): Account {
    const name = accountName(server);
    const known = this.#accounts.get(name);
    if (known) return known;
    const account = new Account(name, { store: this.#store, secrets: this.#secrets });
    this.#accounts.set(name, account);
    return account;
  }

  /** Everything that may be shown about the sign-ins. @throws AgentToolsError if the store cannot be read */
  async list(): Promise<readonly SignInFacts[]> {
    return (await this.#store.list()).map(describeSignIn);
  }
}
