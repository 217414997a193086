import { isRecord } from '../base/value-checks.js';
import type { Extension } from './extension.js';

/** Permissions of a server as its author declares them. */
export interface WrittenSandbox {
  readonly files?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  readonly network?: readonly string[];
  readonly run?: readonly string[];
  readonly env?: readonly string[];
}

/**
 * The sandbox that a server declares, unchecked: in its definition, if that is data, else in the manifest. Runs no code.
 * Undefined if it declares none.
 */
export async function declaredSandbox(extension: Extension, server: string): Promise<unknown> {
  const [file] = (await extension.files()).find('servers', server);
  // A broken definition is reported when the server is composed.
  const definition =
    file?.language === 'data'
      ? await extension.definition('servers', server).catch(() => undefined)
      : undefined;
  const declaration = extension.manifest.declarations.servers.find(({ name }) => name === server);
  return definition?.value.sandbox ?? declaration?.metadata.sandbox;
}

/** One sentence for each permission of a server. */
export function describeSandbox(server: string, written: unknown): readonly string[] {
  const { files, network, run, env } = isRecord(written) ? written : {};
  const { read, write } = isRecord(files) ? files : {};
  const sentences = (list: unknown, can: string) =>
    Array.isArray(list) ? list.map((one) => `In its sandbox, the server ${server} can ${can} ${one}.`) : [];
  return [
    ...sentences(read, 'read'),
    ...sentences(write, 'write to'),
    ...sentences(network, 'connect to'),
    ...sentences(run, 'start'),
    ...sentences(env, 'read the variable'),
  ];
}

/** One sentence for each permission that a server of a package has newly got, and for each sandbox that is gone. */
export async function widenedSandboxes(
  before: Extension | undefined,
  after: Extension,
): Promise<readonly string[]> {
  const servers = after.manifest.declarations.servers.map(({ name }) => name);
  const found = servers.map(async (server) => {
    const was = before && (await declaredSandbox(before, server));
    const is = await declaredSandbox(after, server);
    if (was !== undefined && is === undefined)
      return [`The server ${server} declares no sandbox any more: its code can use everything.`];
    const known = describeSandbox(server, was);
    return was === undefined ? [] : describeSandbox(server, is).filter((one) => !known.includes(one));
  });
  return (await Promise.all(found)).flat();
}
