import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { createFileReader } from '../bundles/create-file-reader.js';
import { unpackBundle } from '../bundles/unpack-bundle.js';
import type { ClientEnvironment } from '../clients/client.js';
import { ExistingRecords } from '../existing-servers/existing-records.js';
import type { ExistingServer, InputValues } from '../existing-servers/existing-server.js';
import type { GivenOptions } from '../existing-servers/given-inputs.js';
import { hideSecrets } from '../existing-servers/hide-secrets.js';
import { linkNode } from '../existing-servers/node-link.js';
import { installNpmServer } from '../existing-servers/npm-servers.js';
import { type PreparedLaunch, prepareLaunch } from '../existing-servers/prepare-launch.js';
import {
  type ExistingReference,
  type ResolveDeps,
  resolveExisting,
} from '../existing-servers/resolve-existing.js';
import { describeReference, shownReference } from '../existing-servers/server-reference.js';
import type { NpmDeps } from '../npm/npm-dependencies.js';

/** Everything that existing servers are found and prepared with. */
export interface ExistingDeps {
  readonly npm: NpmDeps;
  readonly openRegistry: ResolveDeps['openRegistry'];
  /** Data folder with the npm servers, the unpacked bundles and the records. */
  readonly dataFolder: string;
  readonly cacheFolder: string;
  readonly surroundings: ClientEnvironment;
  /** Folder of relative paths. */
  readonly cwd: string;
  /** Absolute path of the running Node. */
  readonly node: string;
  readonly signal: AbortSignal;
  /** Takes the present step for a progress line. */
  readonly tell: (text: string) => void;
}

/** Dependencies of `resolveExisting`. `sha256`: expected hash of a bundle. */
export function resolveDeps(deps: ExistingDeps, sha256?: string): ResolveDeps {
  const { npm, openRegistry, dataFolder, cacheFolder, surroundings, cwd, node, signal, tell } = deps;
  return {
    npm,
    signal,
    cwd,
    env: surroundings.env,
    openRegistry,
    readFile: createFileReader({ surroundings, node, dataFolder, cacheFolder, sha256, tell }),
  };
}

/** A server, and its reference as text. A URL and a command are texts without their secrets. */
export interface NamedReference {
  readonly text: string;
  readonly meant: ExistingReference;
}

/**
 * Returns the server of a reference. A reference with an exact version is looked up once; later calls read the record, so
 * that entries in client configs start without the network. Without the network, other references lead to the server of
 * the last lookup.
 * @throws AgentToolsError if there is no such server
 */
export async function openExisting(
  { text, meant }: NamedReference,
  deps: ExistingDeps,
  report: (line: string) => void,
): Promise<ExistingServer> {
  const records = new ExistingRecords(deps.dataFolder);
  const key = isRecorded(meant) ? text : undefined;
  const recorded = key === undefined ? undefined : await records.read(key);
  if (recorded && recorded.reference === text && meant.kind !== 'document') return recorded;
  try {
    const server = await resolveExisting(meant, resolveDeps(deps));
    if (key !== undefined) await records.write(key, hideSecrets(server, text).server);
    const reading = explainReference({ text, meant }, server);
    if (reading !== undefined) report(reading);
    return server;
  } catch (error) {
    deps.signal.throwIfAborted();
    if (!recorded || !(error instanceof AgentToolsError)) throw error;
    report(`${error.message} The server of the last lookup is used: ${recorded.reference}`);
    return recorded;
  }
}

/** True for servers that must be looked up in the network or in a file. A relative path names other files in other folders. */
function isRecorded(meant: ExistingReference): boolean {
  if (meant.kind !== 'bundle' && meant.kind !== 'document') return ['npm', 'registry'].includes(meant.kind);
  return meant.isRemote || path.isAbsolute(meant.place);
}

/** Sentence about the server that a reference means; undefined if the name is the same. */
export function explainReference(
  { text, meant }: NamedReference,
  { name, version, reference, source }: ExistingServer,
): string | undefined {
  if (reference === text || meant.kind === 'url') return undefined;
  if (meant.kind === 'command')
    return source === 'command' ? undefined : `${shownReference(meant)} is ${reference}.`;
  const isFile = meant.kind === 'document' || meant.kind === 'bundle';
  const meaning = isFile ? `the server "${name}"` : describeReference(meant);
  const isSaid = version === undefined || meaning.endsWith(`@${version}`);
  return `${text} is ${meaning}${isSaid ? '' : `, version ${version}`}.`;
}

interface PrepareChoices {
  /** Values of inputs that are not given, by input id. */
  readonly answers?: InputValues;
}

/**
 * Fills the templates of a server and makes its files available.
 * @throws AgentToolsError if inputs are missing or invalid, or its package cannot be installed
 */
export async function prepareExisting(
  server: ExistingServer,
  given: GivenOptions,
  { npm, dataFolder, surroundings, cwd, node, signal, tell }: ExistingDeps,
  { answers = {} }: PrepareChoices = {},
): Promise<PreparedLaunch> {
  const { env, home, platform } = surroundings;
  return await prepareLaunch(server, {
    given,
    answers,
    base: { cwd, home },
    env,
    startNpm: async ({ name, version, bin }) => {
      tell(`Installing ${name}@${version}`);
      const request = { name, version, bin, allowScripts: [] };
      const { file } = await installNpmServer(request, { npm, dataFolder, signal });
      return { command: await linkNode({ dataFolder, execPath: node, platform }), args: [file] };
    },
    unpack: async (content) => {
      tell(`Unpacking ${server.name}`);
      await unpackBundle(content, { signal });
    },
  });
}
