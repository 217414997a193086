import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SignInUser } from '../../../src/engine/sign-in/authorize.js';
import { signInUser } from '../../../src/engine/sign-in/sign-in.js';
import { SignIns } from '../../../src/engine/sign-in/sign-ins.js';
import type { SignInFor } from '../../../src/engine/upstream/remote-sign-in.js';
import { UpstreamCall } from '../../../src/engine/upstream/upstream-call.js';
import { UpstreamLink } from '../../../src/engine/upstream/upstream-link.js';
import { browse } from '../../support/sign-in-servers.mjs';

const signal: AbortSignal = new AbortController().signal;

export function newDataFolder(): string {
  return mkdtempSync(path.join(tmpdir(), 'agenttools-sign-in-'));
}

/** A user whose browser follows all redirects. */
const user: SignInUser = {
  async visit(address) {
    const redirect = await browse(address);
    await fetch(redirect);
    return undefined;
  },
};

/** Signs in wherever a server asks for it. */
export const signInAnywhere: SignInFor = async (account, challenge) =>
  await signInUser(account, { user, signal }, challenge);

/** Opens a connection as upstream entries do. */
export async function openLink(url: string, signIns: SignIns, signIn?: SignInFor): Promise<UpstreamLink> {
  const ignore = () => {};
  return await UpstreamLink.open({
    place: { url, headers: {}, transport: 'http' },
    name: 'tickets',
    era: undefined,
    timeoutMs: 10_000,
    signal,
    quote: (text) => text,
    roots: async () => [],
    note: ignore,
    events: {
      onListChanged: ignore,
      onResourceUpdated: ignore,
      onLog: ignore,
      onElicitationComplete: ignore,
    },
    signIns,
    signIn,
    onOver: ignore,
  });
}

export async function callTool(link: UpstreamLink, name: string): Promise<unknown> {
  const call = new UpstreamCall(undefined);
  return await link.call({ method: 'tools/call', params: { name, arguments: {} } }, call);
}

/** A tool's result on a fresh connection. */
export async function callOnce(
  url: string,
  name: string,
  { dataFolder, signIn }: { readonly dataFolder: string; readonly signIn?: SignInFor },
): Promise<unknown> {
  const link = await openLink(url, new SignIns({ dataFolder }), signIn);
  try {
    return await callTool(link, name);
  } finally {
    await link.close();
  }
}
