import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createHandler } from '../../../../src/engine/serve/http/create-handler.js';
import type { OAuthOptions } from '../../../../src/engine/serve/http/oauth.js';
import { defineServer } from '../../../../src/index.js';
import { modernRequest } from '../../../support/http-client.js';
import type { Message } from '../../../support/program.js';

const publicUrl = 'https://mcp.example/mcp';

/** An authorization server of this machine: its metadata and its keys. */
let issuer = '';
let server: Server;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let strangers: Awaited<ReturnType<typeof generateKeyPair>>;
let published: Message[] = [];
let isDown = false;
let asked = 0;

beforeAll(async () => {
  keys = await generateKeyPair('ES256');
  strangers = await generateKeyPair('ES256');
  published = [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }];
  server = createServer(({ url }, response) => {
    asked += 1;
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
      '/keys': { keys: published },
    };
    const document = isDown ? undefined : documents[url ?? ''];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(() => {
  isDown = false;
  vi.useRealTimers();
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const definition = defineServer({
  tools: [
    { name: 'whoami', description: 'Tells the claims.', handler: (_: unknown, { auth }: Message) => auth },
  ],
});

function open(options: Partial<OAuthOptions> = {}, report: (line: string) => void = () => {}) {
  return createHandler(definition, {
    env: {},
    allowedHosts: ['mcp.example'],
    path: '/mcp',
    report,
    oauth: { issuer, publicUrl, ...options },
  });
}

interface Claims extends JWTPayload {
  /** Who signs; the issuer's own key when absent. */
  readonly by?: typeof keys.privateKey;
  /** What the key is called. */
  readonly kid?: string;
}

async function token({ by = keys.privateKey, kid = 'one', ...claims }: Claims = {}): Promise<string> {
  const payload = {
    iss: issuer,
    aud: publicUrl,
    sub: 'ada',
    client_id: 'app',
    scope: 'read write',
    ...claims,
  };
  const jwt = new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid });
  return await ('exp' in claims ? jwt : jwt.setExpirationTime('5m')).sign(by);
}

const ask = (bearer?: string): Request =>
  modernRequest(
    publicUrl,
    'tools/call',
    { name: 'whoami' },
    bearer === undefined ? {} : { authorization: `Bearer ${bearer}` },
  );

/** Holds the clock; what is given lets seconds pass. */
function stopClock(): (seconds: number) => void {
  vi.useFakeTimers({ toFake: ['Date'] });
  return (seconds) => void vi.setSystemTime(Date.now() + seconds * 1000);
}

describe('tokens of an issuer', () => {
  test('identify the user', async () => {
    const response = await open()(ask(await token()));
    const { result } = (await response.json()) as Message;
    expect(result.structuredContent).toMatchObject({
      sub: 'ada',
      iss: issuer,
      clientId: 'app',
      scopes: ['read', 'write'],
    });
    expect(JSON.stringify(result)).not.toContain(await token());
  });

  test.each<[string, () => Claims, string]>([
    ['of somebody else', () => ({ by: strangers.privateKey }), 'The token is not valid.'],
    ['for somebody else', () => ({ aud: 'https://other.example' }), 'The claim aud is not what it must be.'],
    ['of another issuer', () => ({ iss: 'https://other.example' }), 'The claim iss is not what it must be.'],
    ['that have expired', () => ({ exp: 1 }), 'The token has expired.'],
    ['of nobody', () => ({ client_id: '', sub: '' }), 'The token names no client or subject.'],
    ['that are not yet good', () => ({ nbf: 32_503_680_000 }), 'The claim nbf is not what it must be.'],
  ])('%s are not taken', async (_, claims, description) => {
    const response = await open()(ask(await token(claims())));
    expect(response.status).toBe(401);
    const challenge = response.headers.get('www-authenticate');
    expect(challenge).toContain('error="invalid_token"');
    expect(challenge).toContain(`error_description="${description}"`);
  });

  test('are rejected without a signature', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg: 'none' })}.${part({ iss: issuer, aud: publicUrl })}.`;
    expect((await open()(ask(unsigned))).status).toBe(401);
    expect((await open()(ask('gibberish'))).status).toBe(401);
  });

  test('need the scopes', async () => {
    const handler = open({ scopes: ['read', 'admin'] });
    const response = await handler(ask(await token()));
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toMatch(
      /error="insufficient_scope".*scope="read admin"/,
    );
    const { authorization_servers: servers, scopes_supported: scopes } = (await (
      await handler(new Request('https://mcp.example/.well-known/oauth-protected-resource/mcp'))
    ).json()) as Message;
    expect([servers, scopes]).toEqual([[issuer], ['read', 'admin']]);
    expect((await handler(ask(await token({ scope: 'admin read' })))).status).toBe(200);
    expect((await handler(ask())).headers.get('www-authenticate')).toContain('scope="read admin"');
  });

  test('are asked for, with where to get one', async () => {
    const handler = open();
    const response = await handler(ask());
    expect(response.status).toBe(401);
    const url = /resource_metadata="([^"]+)"/.exec(response.headers.get('www-authenticate')!)![1]!;
    expect(url).toBe('https://mcp.example/.well-known/oauth-protected-resource/mcp');
    expect(await (await handler(new Request(url))).json()).toEqual({
      resource: publicUrl,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    });
  });

  test('are checked without asking the issuer each time', async () => {
    const handler = open();
    await handler(ask(await token()));
    const before = asked;
    expect((await handler(ask(await token()))).status).toBe(200);
    expect(asked).toBe(before);
  });

  test.each([{}, { jwksUri: () => `${issuer}/keys` }])(
    'cannot be judged while the issuer is away, and can once it is back',
    async ({ jwksUri }) => {
      const lines: string[] = [];
      const handler = open({ jwksUri: jwksUri?.() }, (line) => lines.push(line));
      const pass = stopClock();
      isDown = true;
      const response = await handler(ask(await token()));
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
      expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
      expect(lines).toEqual([expect.stringMatching(/^The issuer .* gives no keys: .*\/\S+ answers 404/)]);

      isDown = false;
      const before = asked;
      pass(4);
      expect((await handler(ask(await token()))).headers.get('retry-after')).toBe('6');
      expect(asked).toBe(before);
      pass(6);
      expect((await handler(ask(await token()))).status).toBe(200);
    },
  );

  test('by keys that are known are judged while the issuer is away, others are not', async () => {
    const handler = open();
    const pass = stopClock();
    expect((await handler(ask(await token()))).status).toBe(200);
    isDown = true;
    pass(3600);
    const before = asked;
    const statuses = [];
    for (const kid of ['one', 'one', 'two', 'one']) {
      const response = await handler(ask(await token({ kid, exp: Math.floor(Date.now() / 1000) + 60 })));
      statuses.push(response.status);
    }
    expect(statuses).toEqual([200, 200, 503, 200]);
    // Once, at the two places where its metadata may be.
    expect(asked - before).toBe(2);
  });

  test('by a new key have the issuer asked, but not for each of them', async () => {
    const handler = open();
    const pass = stopClock();
    expect((await handler(ask(await token()))).status).toBe(200);
    const rotated = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(rotated.publicKey)), kid: 'two', alg: 'ES256' };
    const usual = published;
    published = [...usual, jwk];
    const bearer = await token({ kid: 'two', by: rotated.privateKey });
    expect((await handler(ask(bearer))).status).toBe(401);
    pass(30);
    expect((await handler(ask(bearer))).status).toBe(200);
    const before = asked;
    for (const kid of ['three', 'four']) expect((await handler(ask(await token({ kid })))).status).toBe(401);
    expect(asked).toBe(before);
    published = usual;
  });

  test('ask the issuer once if they arrive together', async () => {
    const handler = open();
    const before = asked;
    const bearer = await token();
    const responses = await Promise.all([1, 2, 3].map(() => handler(ask(bearer))));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    // Its metadata at the second place, and its keys.
    expect(asked - before).toBe(3);
  });

  test('never ask the issuer if malformed', async () => {
    const handler = open();
    const before = asked;
    expect((await handler(ask('gibberish'))).status).toBe(401);
    expect(asked).toBe(before);
  });
});

test('an issuer that is reached in the open is refused', async () => {
  await expect(open({ issuer: 'http://issuer.example' }).ready()).rejects.toThrow('https');
  await expect(open({ jwksUri: 'http://issuer.example/keys' }).ready()).rejects.toThrow('https');
  await expect(open({ publicUrl: 'mcp.example' }).ready()).rejects.toThrow('not a URL');
});
