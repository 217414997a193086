import { Extension } from '../extension/extension.js';
import type { UpstreamEndpoint } from '../extension/upstream-endpoint.js';
import { serverNames } from '../extension/workspace.js';
import type { Era } from '../protocol/eras.js';
import { FakeUser } from './fake-user.js';
import type { ServerSetting, TestServers } from './run-cases.js';
import { type ExtensionTarget, existingTarget, serveExtension, type TestTarget } from './served-target.js';

/** Servers of one test run, to be closed at its end. */
export interface OpenServers extends TestServers {
  close(): Promise<void>;
}

interface ExtensionServersOptions extends Pick<ExtensionTarget, 'host' | 'report'> {
  /** Name of the only server to test. Default: all. */
  readonly server?: string | undefined;
}

/** The servers of the package in a folder. @throws AgentToolsError if it is no extension */
export async function extensionServers(
  directory: string,
  { server, host, report }: ExtensionServersOptions,
): Promise<OpenServers> {
  const extension = await Extension.open(directory);
  const all = serverNames(extension);
  const names =
    server === undefined ? all : all.filter((name) => name === server || name.endsWith(`/${server}`));
  const start = async (name: string, { env = {}, options }: ServerSetting) =>
    await serveExtension({
      server: name,
      host: { ...host, cwd: directory, env: { ...host.env, ...env } },
      options,
      report,
    });
  return shared({ names, eras: ['legacy', 'modern'], atOnce: 16 }, start);
}

/** An existing server. @throws Error if it speaks no protocol that clients know */
export async function existingServers(
  name: string,
  endpoint: UpstreamEndpoint,
  onText: (text: string) => void,
): Promise<OpenServers> {
  const start = async (_: string, { env = {} }: ServerSetting) =>
    existingTarget('url' in endpoint ? endpoint : { ...endpoint, env: { ...endpoint.env, ...env } }, onText);
  const servers = shared({ names: [name], eras: [], atOnce: 4 }, start);
  const eras = await spokenEras(await servers.open(name)).catch(async (error: unknown) => {
    await servers.close();
    throw error;
  });
  return { ...servers, eras };
}

/** Longest wait for the handshake, in milliseconds. */
const handshakeMs = 30_000;

/** The protocols that a server speaks. @throws the error of its handshake without any */
async function spokenEras(target: TestTarget): Promise<readonly Era[]> {
  const spoken: Era[] = [];
  let failure: unknown;
  for (const era of ['legacy', 'modern'] as const) {
    try {
      await target.release(await target.connect({ era, user: new FakeUser(), timeoutMs: handshakeMs }));
      spoken.push(era);
    } catch (error) {
      failure ??= error;
    }
  }
  if (spoken.length === 0) throw failure;
  return spoken;
}

/** Starts servers without a setting once. They end with all servers. */
function shared(
  servers: Omit<TestServers, 'open'>,
  start: (name: string, setting: ServerSetting) => Promise<TestTarget>,
): OpenServers {
  const started = new Map<string, Promise<TestTarget>>();
  return {
    ...servers,
    open: async (name, setting) => {
      if (setting) return await start(name, setting);
      const target = started.get(name) ?? start(name, {});
      started.set(name, target);
      return { ...(await target), close: async () => {} };
    },
    close: async () => {
      const targets = await Promise.allSettled(started.values());
      await Promise.all(
        targets.map(async (one) => (one.status === 'fulfilled' ? await one.value.close() : undefined)),
      );
    },
  };
}
