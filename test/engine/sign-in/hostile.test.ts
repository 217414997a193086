import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Account } from '../../../src/engine/sign-in/account.js';
import { authorizeUser } from '../../../src/engine/sign-in/authorize.js';
import { signInUser } from '../../../src/engine/sign-in/sign-in.js';
import { type ClientRegistration, describeSignIn } from '../../../src/engine/sign-in/sign-in-record.js';
import { SignIns } from '../../../src/engine/sign-in/sign-ins.js';
import { newDataFolder } from './support.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

interface Stand {
  readonly origin: string;
  readonly url: string;
  /** Methods, paths and bodies of all requests. */
  readonly asked: string[];
  /** Answers by path. A value is sent as JSON. */
  readonly paths: Record<string, unknown>;
}

/** One server that is the MCP server and its authorization server. Every test changes one of its answers. */
async function openStand(): Promise<Stand> {
  const asked: string[] = [];
  const paths: Record<string, unknown> = {};
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    asked.push(`${request.method} ${pathname} ${await text(request)}`.trim());
    const answer = Object.hasOwn(paths, pathname) ? paths[pathname] : undefined;
    if (typeof answer === 'function') return void (answer as Answer)(request, response);
    if (answer === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  Object.assign(paths, {
    '/.well-known/oauth-protected-resource/mcp': { resource: url, authorization_servers: [origin] },
    '/.well-known/oauth-authorization-server': metadata(origin),
    '/register': { client_id: 'registered', redirect_uris: ['http://127.0.0.1/callback'] },
    '/token': {
      access_token: 'access-1',
      refresh_token: 'refresh-1',
      token_type: 'Bearer',
      expires_in: 3600,
    },
  });
  return { origin, url, asked, paths };
}

function metadata(origin: string, changes: object = {}): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    ...changes,
  };
}

interface Visit {
  /** Default: a user without sign-ins. */
  readonly account?: Account;
  readonly issuer?: string;
  readonly client?: ClientRegistration;
  /** Parameters of the redirect. Default: a code and the right state. */
  readonly redirect?: (state: string) => Readonly<Record<string, string>>;
}

/** Signs in. The browser opens the redirect address with the parameters. */
async function signIn(
  url: string,
  {
    redirect = (state) => ({ code: 'code-1', state }),
    account = new SignIns({ dataFolder: newDataFolder() }).account(url),
    issuer,
    client,
  }: Visit = {},
) {
  let foreign = 0;
  const user = {
    async visit(address: URL): Promise<undefined> {
      const back = new URL(address.searchParams.get('redirect_uri')!);
      const state = address.searchParams.get('state')!;
      back.search = String(new URLSearchParams(redirect(state)));
      // Some page in the browser tries its luck first.
      const guess = new URL(back);
      guess.search = 'code=theirs&state=guessed';
      foreign = (await fetch(guess)).status;
      void fetch(back).catch(() => {});
    },
  };
  const { signal } = new AbortController();
  const record = await signInUser(
    account,
    { user, signal, issuer, client },
    { status: 401, isScopeTooSmall: false },
  );
  return { record, foreign, account };
}

describe('a sign-in', () => {
  test('works', async () => {
    const { url } = await openStand();
    const { record } = await signIn(url);
    expect(record).toMatchObject({ accessToken: 'access-1', client: { clientId: 'registered' } });
  });

  test('ignores redirects with another state', async () => {
    const { url } = await openStand();
    const { record, foreign } = await signIn(url);
    expect(foreign).toBe(400);
    expect(record).toMatchObject({ accessToken: 'access-1' });
  });

  const hostile: readonly (readonly [string, (stand: Stand) => void, string])[] = [
    [
      'metadata of another resource',
      ({ paths, origin }) => {
        paths['/.well-known/oauth-protected-resource/mcp'] = {
          resource: 'https://bank.example.com/mcp',
          authorization_servers: [origin],
        };
      },
      'are for another resource: https://bank.example.com/mcp',
    ],
    [
      'metadata of another issuer',
      ({ paths, origin }) => {
        paths['/.well-known/oauth-authorization-server'] = metadata(origin, {
          issuer: 'https://bank.example.com',
        });
      },
      'names another issuer in its metadata: https://bank.example.com',
    ],
    [
      'a server without PKCE',
      ({ paths, origin }) => {
        paths['/.well-known/oauth-authorization-server'] = metadata(origin, {
          code_challenge_methods_supported: undefined,
        });
      },
      'does not declare PKCE with S256',
    ],
    ...['javascript:alert(1)', 'file:///etc/passwd', 'http://auth.example.com/authorize'].map(
      (address) =>
        [
          `the authorization endpoint ${address}`,
          ({ paths, origin }: Stand) => {
            paths['/.well-known/oauth-authorization-server'] = metadata(origin, {
              authorization_endpoint: address,
            });
          },
          'The sign-in was stopped.',
        ] as const,
    ),
    [
      'a token endpoint without encryption',
      ({ paths, origin }) => {
        paths['/.well-known/oauth-authorization-server'] = metadata(origin, {
          token_endpoint: 'http://auth.example.com/token',
        });
      },
      'name a token endpoint that must not be used',
    ],
    [
      'a large document',
      ({ paths }) => {
        paths['/.well-known/oauth-protected-resource/mcp'] = { resource: 'x'.repeat(400_000) };
      },
      'too much for a sign-in',
    ],
    [
      'metadata that redirect to another host',
      ({ paths }) => {
        paths['/.well-known/oauth-authorization-server'] = ((_, response) =>
          response.writeHead(302, { location: 'http://127.0.0.1:9/steal' }).end()) satisfies Answer;
      },
      'has no metadata',
    ],
    [
      'a token endpoint that redirects to another host',
      ({ paths }) => {
        paths['/token'] = ((_, response) =>
          response.writeHead(307, { location: 'http://127.0.0.1:9/steal' }).end()) satisfies Answer;
      },
      'refuses the sign-in',
    ],
    [
      'an expired or stolen code',
      ({ paths }) => {
        paths['/token'] = ((_, response) =>
          response
            .writeHead(400, { 'content-type': 'application/json' })
            .end('{"error":"invalid_grant","error_description":"used"}')) satisfies Answer;
      },
      'refuses the sign-in: invalid_grant: used.',
    ],
  ];

  test.each(hostile)('stops at %s', async (_, change, message) => {
    const stand = await openStand();
    change(stand);
    await expect(signIn(stand.url)).rejects.toThrow(message);
  });

  test('asks for nothing after a wrong issuer in the redirect', async () => {
    const stand = await openStand();
    const redirect = (state: string) => ({ code: 'code-1', state, iss: 'https://bank.example.com' });
    await expect(signIn(stand.url, { redirect })).rejects.toThrow('Issuer mismatch');
    expect(stand.asked.some((one) => one.startsWith('POST /token'))).toBe(false);
  });

  test('sends a code once', async () => {
    const stand = await openStand();
    stand.paths['/token'] = ((_, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"error":"invalid_grant"}')) satisfies Answer;
    await expect(signIn(stand.url)).rejects.toThrow('invalid_grant');
    expect(stand.asked.filter((one) => one.startsWith('POST /token'))).toHaveLength(1);
  });

  test('takes the expected one of several authorization servers', async () => {
    const stand = await openStand();
    const other = await openStand();
    stand.paths['/.well-known/oauth-protected-resource/mcp'] = {
      resource: stand.url,
      authorization_servers: [other.origin, stand.origin],
    };
    expect((await signIn(stand.url)).record).toMatchObject({ issuer: other.origin });
    const { account } = await signIn(stand.url, { issuer: stand.origin });
    expect(await account.current()).toMatchObject({ issuer: stand.origin });
    // A renewal stays at it.
    const token = stand.paths['/token'] as object;
    stand.paths['/token'] = { ...token, access_token: 'access-2' };
    expect(await account.renew('access-1')).toMatchObject({ issuer: stand.origin, accessToken: 'access-2' });
  });

  test.each(['http://127.0.0.1:8080/delete', 'https://192.168.1.1/reboot'])(
    'does not open %s in the browser for a public server',
    async (address) => {
      const server = 'https://93.184.216.34/mcp';
      const origin = 'https://93.184.216.34';
      const documents: Readonly<Record<string, object>> = {
        [`${origin}/.well-known/oauth-authorization-server`]: metadata(origin, {
          authorization_endpoint: address,
        }),
        [`${origin}/register`]: { client_id: 'registered', redirect_uris: ['http://127.0.0.1/callback'] },
      };
      const visited: string[] = [];
      const visit = async ({ href }: URL) => void visited.push(href) as undefined;
      const fetch = async (url: string | URL) => {
        const found = documents[String(url)];
        return found ? Response.json(found) : new Response(null, { status: 404 });
      };
      const { secrets } = new SignIns({ dataFolder: newDataFolder() }).account(server);
      const { signal } = new AbortController();
      await expect(authorizeUser({ server }, { fetch, secrets, signal, user: { visit } })).rejects.toThrow(
        'to which a server outside must not lead',
      );
      expect(visited).toEqual([]);
    },
  );

  test.each(['client_secret_basic', 'client_secret_post'])(
    'hides the code and the secret of a client in errors: %s',
    async (method) => {
      const stand = await openStand();
      stand.paths['/.well-known/oauth-authorization-server'] = metadata(stand.origin, {
        token_endpoint_auth_methods_supported: [method],
      });
      stand.paths['/token'] = (async ({ headers }, response) => {
        const sent = `${stand.asked.at(-1)} ${decodeURIComponent(atob(headers.authorization?.slice(6) ?? ''))}`;
        const error = { error: 'invalid_client', error_description: `You sent: ${sent}` };
        response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(error));
      }) satisfies Answer;
      const client = { clientId: 'mine', secret: { value: 'hunter2/hunter2' } };
      const failed = await signIn(stand.url, { client }).catch(String);
      expect(failed).toContain('invalid_client: You sent: ');
      expect(failed).toContain('[hidden]');
      expect(failed).not.toMatch(/hunter2|code-1/);
    },
  );

  test('reports the refusal of the user', async () => {
    const { url } = await openStand();
    const redirect = (state: string) => ({ error: 'access_denied', error_description: 'No.', state });
    await expect(signIn(url, { redirect })).rejects.toThrow('refuses the sign-in: access_denied: No.');
  });
});

describe('a renewal', () => {
  test('sends nothing to another authorization server', async () => {
    const first = await openStand();
    const other = await openStand();
    const { account } = await signIn(first.url);
    first.paths['/.well-known/oauth-protected-resource/mcp'] = {
      resource: first.url,
      authorization_servers: [other.origin],
    };
    expect(await account.renew('access-1')).toBeUndefined();
    expect(account.problem).toBe(`its authorization server is now ${other.origin}`);
    expect(other.asked.join('\n')).not.toContain('refresh-1');
  });

  test('keeps the sign-in if the authorization server fails for a moment', async () => {
    const stand = await openStand();
    const { account } = await signIn(stand.url);
    const token = stand.paths['/token'];
    stand.paths['/token'] = ((_, response) => response.writeHead(503).end('busy')) satisfies Answer;
    expect(await account.renew('access-1')).toBeUndefined();
    stand.paths['/token'] = { ...(token as object), access_token: 'access-2' };
    expect(await account.renew('access-1')).toMatchObject({ accessToken: 'access-2' });
  });

  const refusing =
    (error: string): Answer =>
    (_, response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));

  test('asks no more after the end of the sign-in, and keeps the reason', async () => {
    const stand = await openStand();
    const { account } = await signIn(stand.url);
    stand.paths['/token'] = refusing('invalid_grant');
    expect(await account.renew('access-1')).toBeUndefined();
    expect(account.problem).toBe('invalid_grant');
    stand.asked.length = 0;
    expect(await account.renew('access-1')).toBeUndefined();
    expect(account.problem).toBe('invalid_grant');
    expect(stand.asked).toEqual([]);
    const record = (await account.current())!;
    expect(describeSignIn(record)).toMatchObject({ renewable: false });
    expect(record.expiresAt).toBeLessThanOrEqual(Date.now());
  });

  test('registers the client again if the authorization server has forgotten it', async () => {
    const stand = await openStand();
    const { account } = await signIn(stand.url);
    const token = stand.paths['/token'];
    stand.paths['/token'] = refusing('invalid_client');
    expect(await account.renew('access-1')).toBeUndefined();
    stand.paths['/token'] = token;
    stand.paths['/register'] = { client_id: 'again', redirect_uris: ['http://127.0.0.1/callback'] };
    const { record } = await signIn(stand.url, { account });
    expect(record).toMatchObject({ client: { clientId: 'again' } });
    expect(record).not.toHaveProperty('over');
  });

  test('goes on after a wrong secret of a registered client is corrected', async () => {
    const stand = await openStand();
    const client = { clientId: 'mine', secret: { value: 'wrong secret' } };
    const { account } = await signIn(stand.url, { client });
    const token = stand.paths['/token'];
    stand.paths['/token'] = refusing('invalid_client');
    expect(await account.renew('access-1')).toBeUndefined();
    expect(account.problem).toBe('invalid_client');
    stand.paths['/token'] = { ...(token as object), access_token: 'access-2' };
    expect(await account.renew('access-1')).toMatchObject({ accessToken: 'access-2' });
  });

  test('hides tokens that an authorization server repeats', async () => {
    const stand = await openStand();
    const { account } = await signIn(stand.url);
    stand.paths['/token'] = ((_, response) =>
      response
        .writeHead(400, { 'content-type': 'application/json' })
        .end('{"error":"invalid_grant","error_description":"refresh-1 is over"}')) satisfies Answer;
    await account.renew('access-1');
    expect(account.hide(account.problem!)).toBe('invalid_grant: [hidden] is over');
  });
});
