import { AgentToolsError } from '../base/errors.js';
import { parseUrl } from '../base/parse-url.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { SecretStore } from '../secrets/secret-store.js';

/** Version of the record format. */
const version = 1;

/** A value that the user has given, or the place where it is read at each use. */
export type SecretSource =
  | { readonly value: string }
  /** Name in the secret store. */
  | { readonly secret: string };

/** This program as a client of one authorization server. */
export interface ClientRegistration {
  readonly clientId: string;
  readonly secret?: SecretSource;
  /** Private key for client assertions, in PEM. */
  readonly privateKey?: SecretSource;
  /** Method at the token endpoint that the authorization server has chosen. */
  readonly method?: string;
  /** Redirect address of the registration. */
  readonly redirectUri?: string;
  /** Scope of the registration. The authorization server may refuse any other scope. */
  readonly scope?: string;
  /** True if the authorization server does not know the registration any more. */
  readonly isForgotten?: boolean;
}

/** Everything that belongs to a sign-in to one MCP server. */
export interface SignInRecord {
  readonly server: string;
  readonly grant: 'authorization-code' | 'client-credentials';
  readonly issuer: string;
  readonly client: ClientRegistration;
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Granted scope, separated by spaces. */
  readonly scope?: string;
  /** Resource indicator of the tokens. */
  readonly resource?: string;
  /** Address of the protected resource metadata that the server has given. */
  readonly resourceMetadataUrl?: string;
  /** End of the access token, in milliseconds since 1970; undefined if not declared. */
  readonly expiresAt?: number;
  /** Time of the sign-in, in milliseconds since 1970. */
  readonly signedInAt: number;
  /** Reason why the user has to sign in again, as the end of a sentence. */
  readonly over?: string;
}

/** A sign-in without its tokens. */
export type SignInFacts = Pick<SignInRecord, 'server' | 'issuer' | 'scope' | 'grant'> & {
  /** End of the access token, as an ISO time; null if not declared. */
  readonly expires: string | null;
  /** True if a new access token needs no user. */
  readonly renewable: boolean;
};

/** The facts of a record that may be shown. */
export function describeSignIn(record: SignInRecord): SignInFacts {
  const { server, issuer, scope, grant, expiresAt, refreshToken } = record;
  return {
    server,
    issuer,
    ...(scope !== undefined && { scope }),
    grant,
    expires: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    renewable: refreshToken !== undefined || grant === 'client-credentials',
  };
}

/** Name of the sign-in of a server: its address without user, query and fragment. */
export function accountName(server: string): string {
  const url = parseUrl(server);
  if (!url) return server;
  const { origin, pathname } = url;
  return origin + (pathname.length > 1 ? pathname.replace(/\/+$/, '') : '');
}

/** The sign-ins of this user, in a store of secrets. */
export class SignInStore {
  readonly #secrets: SecretStore;

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
  }

  /** @throws AgentToolsError if the store cannot be read */
  async read(server: string): Promise<SignInRecord | undefined> {
    return parseRecord(await this.#secrets.get(accountName(server)));
  }

  /** Time of the last change, ISO 8601; undefined without a sign-in. @throws AgentToolsError */
  async changed(server: string): Promise<string | undefined> {
    const name = accountName(server);
    return (await this.#secrets.list()).find((one) => one.name === name)?.changed;
  }

  /** All sign-ins, by server. @throws AgentToolsError */
  async list(): Promise<readonly SignInRecord[]> {
    const names = await this.#secrets.list();
    const records = await Promise.all(names.map(async ({ name }) => await this.read(name)));
    return records.filter((record) => record !== undefined);
  }

  /**
   * Computes a record from the present one, one process at a time. Undefined removes it.
   * @throws AgentToolsError; errors of `change`, which leave the record unchanged
   */
  async update(
    server: string,
    change: (current: SignInRecord | undefined) => Promise<SignInRecord | undefined>,
  ): Promise<SignInRecord | undefined> {
    const text = await this.#secrets.update(accountName(server), async (current) => {
      const before = parseRecord(current);
      const after = await change(before);
      if (after === before && after !== undefined) return current;
      return after && JSON.stringify({ version, ...after });
    });
    return parseRecord(text);
  }
}

/** @throws AgentToolsError if the record has a newer version */
function parseRecord(text: string | undefined): SignInRecord | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (isRecord(value) && typeof value.version === 'number' && value.version > version)
    throw new AgentToolsError(
      'refused',
      'The sign-in was stored by a newer version of AgentTools. Update AgentTools.',
    );
  const isKnown =
    isRecord(value) &&
    value.version === version &&
    [value.server, value.issuer, value.accessToken].every(isString) &&
    isRecord(value.client) &&
    isString(value.client.clientId);
  if (!isKnown) return undefined;
  const { version: _, ...record } = value as Record<string, unknown>;
  return record as unknown as SignInRecord;
}
