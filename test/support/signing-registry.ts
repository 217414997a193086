import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterFile } from './file-jobs.js';
import type { Registry } from './registry.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const keyid = 'SHA256:key-of-the-test';
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

interface Signature {
  readonly keyid: string;
  readonly sig: string;
}

interface SigningOptions {
  /** When the key expires, in ISO 8601. Default: never. */
  readonly expires?: string;
  /** Changes the signature of a version. Undefined: the version is unsigned. */
  readonly change?: (signature: Signature, name: string) => Signature | undefined;
  /** Attestations of a version, by its label `name@version`. Undefined: it has none. */
  readonly attestations?: (label: string) => readonly object[] | undefined;
}

type Json = Record<string, unknown>;

const open: ReturnType<typeof createServer>[] = [];
afterFile(() => {
  for (const server of open.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** The signature of a registry over a text. */
export function signatureOver(text: string): Signature {
  return { keyid, sig: sign('sha256', Buffer.from(text), privateKey).toString('base64') };
}

const attestationsPath = '/-/npm/v1/attestations/';

/** A registry with the packages of another one, which signs them. Gives its URL. */
export async function startSigningRegistry(
  { url: origin }: Registry,
  { expires, change = (signature) => signature, attestations = () => undefined }: SigningOptions = {},
): Promise<string> {
  const withSignature = (version: Json): void => {
    const dist = version.dist as Json | undefined;
    if (!dist) return;
    const text = `${version.name}@${version.version}:${dist.integrity}`;
    const signature = change(signatureOver(text), String(version.name));
    if (signature) dist.signatures = [signature];
    const label = `${version.name}@${version.version}`;
    if (attestations(label))
      dist.attestations = { url: `https://registry.example${attestationsPath}${label}` };
  };
  const server = createServer(async (request, response) => {
    if (request.url === '/-/npm/v1/keys') {
      const keys = [{ keyid, key, expires: expires ?? null, keytype: 'ecdsa-sha2-nistp256' }];
      return void response.end(JSON.stringify({ keys }));
    }
    if (request.url?.startsWith(attestationsPath)) {
      const found = attestations(request.url.slice(attestationsPath.length));
      return void response.end(JSON.stringify({ attestations: found }));
    }
    const { accept = '*/*' } = request.headers;
    const answer = await fetch(new URL(request.url ?? '/', origin), { headers: { accept } });
    const body = (await answer.json()) as Json;
    for (const version of Object.values((body.versions as Record<string, Json>) ?? {}))
      withSignature(version);
    withSignature(body);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
