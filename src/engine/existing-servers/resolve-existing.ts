import { findProgram } from '../base/find-program.js';
import type { McpRegistry } from '../mcp-registry/open-registry.js';
import type { ExistingServer } from './existing-server.js';
import { inputsOfPlaces, readPlaces } from './hide-secrets.js';
import { resolveCommand } from './resolve-command.js';
import { type NpmLookup, pinNpm, resolveNpm } from './resolve-npm.js';
import { readServerJson, type ServerRoute } from './server-json.js';
import { imageName, shortServerName, siteName } from './server-name.js';
import { formatReference, type ServerReference } from './server-reference.js';
import { isPinnedImage, unpinned, unpinnedImage } from './unpinned.js';

/** References that lead to an existing server. */
export type ExistingReference = Exclude<ServerReference, { readonly kind: 'name' | 'path' }>;

export interface ResolveDeps extends NpmLookup {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Opens the MCP Registry. @throws AgentToolsError if it is turned off */
  readonly openRegistry: () => Promise<McpRegistry>;
  /** Reads bundles, `server.json` files, and config files of clients. */
  readonly readFile: (reference: FileReference, deps: ResolveDeps) => Promise<ExistingServer>;
  /** The only acceptable way to run or reach a server that offers several. Default: any. */
  readonly route?: ServerRoute | undefined;
}

/** `sha256`: expected hash of a bundle, which its registry entry names. */
type FileReference =
  | (Extract<ServerReference, { readonly kind: 'bundle' }> & { readonly sha256?: string })
  | Extract<ServerReference, { readonly kind: 'document' }>;

/**
 * Resolves a reference to an existing server, with its exact version where the source has one. Runs nothing.
 * @throws AgentToolsError if there is no such server
 */
export async function resolveExisting(
  reference: ExistingReference,
  deps: ResolveDeps,
): Promise<ExistingServer> {
  switch (reference.kind) {
    case 'npm':
      return await resolveNpm(reference, deps);
    case 'registry':
      return await resolveEntry(reference, deps);
    case 'bundle':
    case 'document':
      return await deps.readFile(reference, deps);
    case 'command': {
      const resolve = async (one: ServerReference) => await resolveExisting(one as ExistingReference, deps);
      return await resolveCommand(reference.words, { ...deps, resolve });
    }
    case 'url':
      return remoteServer(reference.url);
    case 'docker':
      return containerServer(reference.image);
    case 'pypi':
    case 'nuget':
      return packageServer(reference);
  }
}

/** Routes that work on this machine. */
export async function availableRoutes(env: ResolveDeps['env']): Promise<readonly ServerRoute[]> {
  const runners = ['uvx', 'docker', 'dnx'] as const;
  const found = await Promise.all(runners.map(async (name) => (await findProgram(name, env)) !== undefined));
  return ['remote', 'npm', 'bundle', ...runners.filter((_, index) => found[index])];
}

async function resolveEntry(
  { name, version }: Extract<ServerReference, { kind: 'registry' }>,
  deps: ResolveDeps,
): Promise<ExistingServer> {
  const registry = await deps.openRegistry();
  const { entry, notes } = await registry.find(name, version, deps.signal);
  const server = readServerJson(entry.document, {
    source: 'registry',
    reference: `${entry.name}@${entry.version}`,
    available: await availableRoutes(deps.env),
    ...(deps.route !== undefined && { route: deps.route }),
    locate: (path) => `${name} at ${registry.host}, ${path.join('.') || 'document'}`,
  });
  const known = { ...server, name: shortServerName(name), notes: [...notes, ...server.notes] };
  return await followBundle(await pinNpm(known, deps), deps);
}

/**
 * Reads the bundle that a server comes as. Its manifest decides about the start and the inputs.
 * @throws AgentToolsError if the bundle cannot be used
 */
export async function followBundle(server: ExistingServer, deps: ResolveDeps): Promise<ExistingServer> {
  const { template } = server;
  if (template.kind !== 'bundle') return server;
  const { url, sha256 } = template;
  const reference = {
    kind: 'bundle',
    place: url,
    isRemote: true,
    ...(sha256 !== undefined && { sha256 }),
  } as const;
  const bundle = await deps.readFile(reference, deps);
  return {
    ...bundle,
    ...server,
    template: bundle.template,
    inputs: bundle.inputs,
    notes: [...server.notes, ...bundle.notes],
  };
}

function remoteServer(url: string): ExistingServer {
  return {
    source: 'url',
    reference: url,
    name: siteName(url),
    inputs: inputsOfPlaces([url]),
    template: { kind: 'remote', url: readPlaces(url), headers: {} },
    notes: [],
  };
}

function containerServer(image: string): ExistingServer {
  return {
    source: 'docker',
    reference: `docker:${image}`,
    name: imageName(image),
    inputs: [],
    template: { kind: 'program', runner: { by: 'docker', image, options: [] }, args: [], env: {} },
    notes: isPinnedImage(image) ? [] : [unpinnedImage(image)],
  };
}

function packageServer(reference: Extract<ServerReference, { kind: 'pypi' | 'nuget' }>): ExistingServer {
  const { kind, name, version } = reference;
  const pin = version === undefined ? {} : { version };
  const script = kind === 'pypi' && reference.script !== undefined ? { script: reference.script } : {};
  return {
    source: kind,
    reference: formatReference(reference)!,
    name: shortServerName(name.toLowerCase().replace(/\[.*$/, '')),
    ...pin,
    inputs: [],
    template: {
      kind: 'program',
      runner:
        kind === 'pypi'
          ? { by: 'uvx', name, ...pin, ...script, options: [] }
          : { by: 'dnx', name, ...pin, options: [] },
      args: [],
      env: {},
    },
    notes: version === undefined ? [unpinned(name, `${kind}:${name}@1.2.3`)] : [],
  };
}
