import type { ClientEnvironment } from '../clients/client.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { resolveCommand } from '../existing-servers/resolve-command.js';
import {
  availableRoutes,
  type ExistingReference,
  followBundle,
  type ResolveDeps,
  resolveExisting,
} from '../existing-servers/resolve-existing.js';
import { pinNpm } from '../existing-servers/resolve-npm.js';
import type { DownloadDeps } from './download.js';
import { type BundleDeps, readBundle } from './read-bundle.js';
import { type DocumentDeps, readServerDocument, readServerDocuments } from './read-document.js';

export interface FileReaderDeps extends Omit<DownloadDeps, 'npm' | 'signal'> {
  readonly surroundings: ClientEnvironment;
  /** Command of the Node that runs the programs of bundles. */
  readonly node: string;
  /** Data folder that holds the unpacked bundles. */
  readonly dataFolder: string;
  /** Expected SHA-256 of a bundle that a reference names; undefined: any. */
  readonly sha256?: string | undefined;
}

/** Creates the function that resolves references to bundles and files. */
export function createFileReader(setting: FileReaderDeps): ResolveDeps['readFile'] {
  return async (reference, deps) => {
    if (reference.kind === 'bundle')
      return await readBundle(
        { ...reference, sha256: reference.sha256 ?? setting.sha256 },
        bundleDeps(setting, deps),
      );
    const server = await readServerDocument(reference, documentDeps(setting, deps, commandsOf(deps)));
    return await followBundle(await pinNpm(server, deps), deps);
  };
}

type DocumentReference = Extract<ExistingReference, { readonly kind: 'document' }>;

/** Creates the function that resolves all servers of a file, with another way to resolve commands. */
export function createDocumentReader(
  setting: FileReaderDeps,
  resolveWords: DocumentDeps['resolveCommand'],
): (reference: DocumentReference, deps: ResolveDeps) => Promise<readonly ExistingServer[]> {
  return async (reference, deps) => {
    const servers = await readServerDocuments(reference, documentDeps(setting, deps, resolveWords));
    return await Promise.all(
      servers.map(async (server) => await followBundle(await pinNpm(server, deps), deps)),
    );
  };
}

function bundleDeps(setting: FileReaderDeps, { npm, cwd, signal }: ResolveDeps): BundleDeps {
  const { surroundings, node } = setting;
  return { ...setting, npm, cwd, signal, machine: { ...surroundings, node } };
}

function documentDeps(
  setting: FileReaderDeps,
  deps: ResolveDeps,
  resolveWords: DocumentDeps['resolveCommand'],
): DocumentDeps {
  return {
    ...bundleDeps(setting, deps),
    surroundings: setting.surroundings,
    ...(deps.route !== undefined && { route: deps.route }),
    availableRoutes: async () => await availableRoutes(deps.env),
    resolveCommand: resolveWords,
  };
}

function commandsOf(deps: ResolveDeps): DocumentDeps['resolveCommand'] {
  return async (words, folder) =>
    await resolveCommand(words, {
      cwd: folder,
      env: deps.env,
      resolve: async (one) => await resolveExisting(one as ExistingReference, deps),
    });
}
