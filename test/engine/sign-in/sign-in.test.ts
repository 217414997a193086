import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signInUser, signOut } from '../../../src/engine/sign-in/sign-in.js';
import { SignIns } from '../../../src/engine/sign-in/sign-ins.js';
import { defaultPace, Upstream } from '../../../src/engine/upstream/upstream.js';
import { browse, type SignInServers, startSignInServers } from '../../support/sign-in-servers.mjs';
import { callOnce, callTool, newDataFolder, openLink, signInAnywhere } from './support.js';

const text = (said: string) => ({ content: [{ type: 'text', text: said }] });

describe('a server with an authorization server', () => {
  let servers: SignInServers;
  beforeAll(async () => {
    servers = await startSignInServers();
  });
  afterAll(async () => await servers.close());

  test('names the command that signs in', async () => {
    await expect(callOnce(servers.url, 'list_tickets', { dataFolder: newDataFolder() })).rejects.toThrow(
      `it wants a sign-in (HTTP 401). Run: agenttools login ${servers.url}`,
    );
  });

  test('is used after one sign-in by every program of the user', async () => {
    const dataFolder = newDataFolder();
    expect(await callOnce(servers.url, 'list_tickets', { dataFolder, signIn: signInAnywhere })).toEqual(
      text('two tickets'),
    );
    expect(await callOnce(servers.url, 'list_tickets', { dataFolder })).toEqual(text('two tickets'));
  });

  test('renews a refused token once, in one of several programs', async () => {
    const dataFolder = newDataFolder();
    await callOnce(servers.url, 'list_tickets', { dataFolder, signIn: signInAnywhere });
    servers.endAccessTokens();
    servers.requests.length = 0;
    const results = await Promise.all(
      [1, 2, 3].map(async () => await callOnce(servers.url, 'list_tickets', { dataFolder })),
    );
    expect(results).toEqual([text('two tickets'), text('two tickets'), text('two tickets')]);
    expect(servers.requests.filter((one) => one === 'POST /token')).toHaveLength(1);
  });

  test('asks for a larger scope where a call needs it, and keeps the scope of before', async () => {
    const dataFolder = newDataFolder();
    const signIns = new SignIns({ dataFolder });
    const link = await openLink(servers.url, signIns, signInAnywhere);
    expect(await callTool(link, 'list_tickets')).toEqual(text('two tickets'));
    expect(await callTool(link, 'close_ticket')).toEqual(text('closed'));
    await link.close();
    const [facts] = await signIns.list();
    expect(facts?.scope?.split(' ').sort()).toEqual(['offline_access', 'tickets:read', 'tickets:write']);
  });

  test('names the command for a larger scope without a user', async () => {
    const dataFolder = newDataFolder();
    await callOnce(servers.url, 'list_tickets', { dataFolder, signIn: signInAnywhere });
    await expect(callOnce(servers.url, 'close_ticket', { dataFolder })).rejects.toThrow(
      `To sign in with more rights, run: agenttools login ${servers.url} --scope "tickets:read offline_access tickets:write"`,
    );
  });

  test('uses the sign-in of another program at once, also one with a larger scope', async () => {
    const dataFolder = newDataFolder();
    const signIns = new SignIns({ dataFolder });
    await expect(openLink(servers.url, signIns)).rejects.toThrow('it wants a sign-in');
    await callOnce(servers.url, 'list_tickets', { dataFolder, signIn: signInAnywhere });
    const link = await openLink(servers.url, signIns);
    expect(await callTool(link, 'list_tickets')).toEqual(text('two tickets'));
    await expect(callTool(link, 'close_ticket')).rejects.toThrow('does not allow this');
    await callOnce(servers.url, 'close_ticket', { dataFolder, signIn: signInAnywhere });
    expect(await callTool(link, 'close_ticket')).toEqual(text('closed'));
    await link.close();
  });

  test('starts by itself after a sign-in, and lists its tools', async () => {
    const dataFolder = newDataFolder();
    const leaving = new AbortController();
    const ignore = () => {};
    let hasItems = false;
    const upstream = new Upstream({
      spec: {
        key: 'tickets',
        name: 'tickets',
        place: async () => ({ url: servers.url, headers: {}, transport: 'http' }),
        startTimeoutMs: 60_000,
      },
      env: {},
      signal: leaving.signal,
      pace: { ...defaultPace, backoffMs: 3_600_000 },
      isOnce: false,
      report: ignore,
      roots: async () => [],
      events: {
        onItems: () => {
          hasItems = true;
        },
        onResourceUpdated: ignore,
        onLog: ignore,
        onElicitationComplete: ignore,
      },
      logLevel: () => undefined,
      signIns: new SignIns({ dataFolder }),
    });
    await expect(upstream.open()).rejects.toThrow(`Run: agenttools login ${servers.url}`);
    await callOnce(servers.url, 'list_tickets', { dataFolder, signIn: signInAnywhere });
    await expect.poll(() => hasItems, { timeout: 60_000 }).toBe(true);
    expect(upstream.isUp).toBe(true);
    leaving.abort();
    await upstream.close();
  });

  test('describes sign-ins without tokens', async () => {
    const dataFolder = newDataFolder();
    await callOnce(servers.url, 'list_tickets', { dataFolder, signIn: signInAnywhere });
    const [facts] = await new SignIns({ dataFolder }).list();
    const stored = readFileSync(path.join(dataFolder, 'secrets/sign-ins.json'), 'utf8');
    expect(facts).toEqual({
      server: servers.url,
      issuer: servers.issuer,
      scope: 'tickets:read offline_access',
      grant: 'authorization-code',
      expires: expect.stringMatching(/^20\d\d-/),
      renewable: true,
    });
    expect(stored).toContain('accessToken');
  });

  test('is left after a sign-out, which revokes the tokens', async () => {
    const dataFolder = newDataFolder();
    await callOnce(servers.url, 'list_tickets', { dataFolder, signIn: signInAnywhere });
    const signIns = new SignIns({ dataFolder });
    const record = await signIns.account(servers.url).current();
    servers.requests.length = 0;
    expect(await signOut(signIns.account(servers.url))).toEqual({ issuer: servers.issuer, isRevoked: true });
    expect(servers.requests.filter((one) => one.includes('revocation'))).toHaveLength(2);
    expect(await new SignIns({ dataFolder }).list()).toEqual([]);
    const refused = await fetch(servers.url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${record!.accessToken}` },
    });
    expect(refused.status).toBe(401);
    expect(await signOut(signIns.account(servers.url))).toBeUndefined();
  });
});

describe('an authorization server', () => {
  let servers: SignInServers;
  beforeAll(async () => {
    servers = await startSignInServers({ accessTokenSeconds: 20 });
  });
  afterAll(async () => await servers.close());

  /** Signs in as a user whose browser sends other parameters back than those of the authorization server. */
  const signInWith = async (
    change: (params: URLSearchParams, asked: URL) => Promise<void>,
    { url } = servers,
  ) => {
    const account = new SignIns({ dataFolder: newDataFolder() }).account(url);
    const visit = async (asked: URL): Promise<undefined> => {
      const redirect = new URL(await browse(asked));
      await change(redirect.searchParams, asked);
      await fetch(redirect);
    };
    const { signal } = new AbortController();
    await signInUser(account, { user: { visit }, signal }, { status: 401, isScopeTooSmall: false });
    return account;
  };

  test('renews a token before its end', async () => {
    const account = await signInWith(async () => {});
    servers.requests.length = 0;
    expect(await account.current()).toMatchObject({ accessToken: expect.any(String) });
    expect(servers.requests.filter((one) => one === 'POST /token')).toHaveLength(1);
  });

  test('refuses an expired code', async () => {
    const brief = await startSignInServers({ codeSeconds: 1 });
    try {
      const late = signInWith(async () => await setTimeout(2500), brief);
      await expect(late).rejects.toThrow(`${brief.issuer} refuses the sign-in: invalid_grant`);
    } finally {
      await brief.close();
    }
  });

  test('refuses the code of another sign-in', async () => {
    let foreign: string | undefined;
    await signInWith(async (params) => {
      foreign = params.get('code')!;
      params.set('code', 'lost');
    }).catch(() => {});
    const injected = signInWith(async (params) => params.set('code', foreign!));
    await expect(injected).rejects.toThrow('refuses the sign-in: invalid_grant');
  });

  test('gives nothing for a stolen code', async () => {
    let stolen: Response | undefined;
    const robbed = signInWith(async (params, asked) => {
      stolen = await fetch(new URL('/token', servers.issuer), {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: params.get('code')!,
          client_id: asked.searchParams.get('client_id')!,
          redirect_uri: asked.searchParams.get('redirect_uri')!,
          code_verifier: 'x'.repeat(43),
        }),
      });
    });
    await robbed.catch(() => {});
    expect(stolen?.status).toBe(400);
    expect(await stolen?.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('refuses a redirect of another issuer', async () => {
    const mixed = signInWith(async (params) => params.set('iss', 'https://bank.example.com'));
    await expect(mixed).rejects.toThrow('Issuer mismatch');
  });
});
