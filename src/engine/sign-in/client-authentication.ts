import { createPrivateKey } from 'node:crypto';
import {
  type AddClientAuthentication,
  createPrivateKeyJwtAuth,
  selectClientAuthMethod,
} from '@modelcontextprotocol/client';
import { AgentToolsError } from '../base/errors.js';
import type { SecretStore } from '../secrets/secret-store.js';
import type { ClientRegistration, SecretSource } from './sign-in-record.js';

/**
 * Returns the function that authenticates this program at a token endpoint, by the method that the authorization server
 * has chosen or supports. The SDK sends Basic credentials without their form encoding, which RFC 6749 requires.
 * @throws AgentToolsError if the secret or the private key is missing or unusable
 */
export async function authenticateClient(
  client: ClientRegistration,
  secrets: SecretStore,
): Promise<AddClientAuthentication> {
  const { clientId, method } = client;
  if (client.privateKey) {
    const privateKey = readPrivateKey(await readSecret(client.privateKey, secrets));
    return createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, ...privateKey });
  }
  const secret = client.secret && (await readSecret(client.secret, secrets));
  return (headers, params, _url, metadata) => {
    const known = {
      client_id: clientId,
      ...(secret !== undefined && { client_secret: secret }),
      ...(method !== undefined && { token_endpoint_auth_method: method }),
    };
    const chosen = selectClientAuthMethod(known, metadata?.token_endpoint_auth_methods_supported ?? []);
    if (chosen === 'client_secret_basic' && secret !== undefined) {
      const credentials = `${formEncode(clientId)}:${formEncode(secret)}`;
      headers.set('Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
      return;
    }
    params.set('client_id', clientId);
    if (chosen !== 'none' && secret !== undefined) params.set('client_secret', secret);
  };
}

/** @see RFC 6749, section 2.3.1 */
export function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

/** @throws AgentToolsError if the secret is missing */
async function readSecret(source: SecretSource, secrets: SecretStore): Promise<string> {
  if ('value' in source) return source.value;
  const value = await secrets.get(source.secret);
  if (value !== undefined) return value;
  const message = `There is no secret named ${source.secret}. Set it with: agenttools secret set ${source.secret}`;
  throw new AgentToolsError('not-found', message);
}

/** Signature algorithms by key type and curve. @see RFC 7518, section 3.1; RFC 8037, section 3.1 */
const algorithms: Readonly<Record<string, string>> = {
  rsa: 'RS256',
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
  ed25519: 'EdDSA',
};

/** @throws AgentToolsError if the text is not a private key that can sign client assertions */
function readPrivateKey(pem: string): {
  readonly privateKey: Record<string, unknown>;
  readonly alg: string;
} {
  try {
    const key = createPrivateKey(pem);
    const curve = key.asymmetricKeyDetails?.namedCurve;
    const alg = algorithms[curve ?? key.asymmetricKeyType ?? ''];
    if (alg !== undefined) return { privateKey: { ...key.export({ format: 'jwk' }) }, alg };
  } catch {
    // The message of the system may contain parts of the text.
  }
  const message =
    'The private key cannot be used. Expected a key in PEM without a passphrase: RSA, EC (P-256, P-384, P-521) or Ed25519.';
  throw new AgentToolsError('refused', message);
}
