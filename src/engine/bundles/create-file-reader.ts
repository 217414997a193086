import type { ClientEnvironment } from '../clients/client.js';
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
import { readBundle } from './read-bundle.js';
import { readServerDocument } from './read-document.js';

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
  const { surroundings, node } = setting;
  return async (reference, deps) => {
    const { npm, cwd, signal } = deps;
    const bundleDeps = { ...setting, npm, cwd, signal, machine: { ...surroundings, node } };
    if (reference.kind === 'bundle')
      return await readBundle({ ...reference, sha256: reference.sha256 ?? setting.sha256 }, bundleDeps);
    const server = await readServerDocument(reference, {
      ...bundleDeps,
      ...(deps.route !== undefined && { route: deps.route }),
      availableRoutes: async () => await availableRoutes(deps.env),
      resolveCommand: async (words, folder) =>
        await resolveCommand(words, {
          cwd: folder,
          env: deps.env,
          resolve: async (one) => await resolveExisting(one as ExistingReference, deps),
        }),
    });
    return await followBundle(await pinNpm(server, deps), deps);
  };
}
