import { AgentToolsError } from '../base/errors.js';
import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import type {
  ArgumentTemplate,
  ExistingServer,
  ProgramRunner,
  RemoteTransport,
  ServerTemplate,
  TextTemplate,
} from './existing-server.js';
import { InputCollector, readKey, readText } from './registry-inputs.js';
import { isPlainReference, type ServerReference } from './server-reference.js';

/** Ways to run or reach a server, as users name them. */
export type ServerRoute = 'remote' | 'npm' | 'uvx' | 'docker' | 'dnx' | 'bundle';

export interface ServerJsonOptions {
  readonly source: 'registry' | 'server-json';
  /** Reference that leads to the document again. Default: `<name>@<version>`. */
  readonly reference?: string;
  /** Routes that work here. Routes with a missing runner come last. */
  readonly available: readonly ServerRoute[];
  /** The only acceptable route. Default: any. */
  readonly route?: ServerRoute;
  /** Puts the location of a fault before its message: `server.json:3:5`. */
  readonly locate: (path: DocumentPath) => string;
}

/**
 * Reads a `server.json`, of any schema version, and chooses one of its packages and remotes: a remote server without
 * required secrets, then a package with an available runner, then the others, each in file order.
 * @see https://github.com/modelcontextprotocol/registry docs/reference/server-json
 * @throws AgentToolsError if the document is malformed, or nothing in it can be used
 */
export function readServerJson(document: unknown, options: ServerJsonOptions): ExistingServer {
  if (!isRecord(document)) throw malformed(options, [], 'The document is not an object.');
  const name = readText(document, 'name');
  if (name === undefined || !/^[\w.-]+\/[\w.-]+$/.test(name)) {
    const message =
      '"name" is missing or invalid. Expected a namespace and a name: "io.github.acme/tickets".';
    throw malformed(options, ['name'], message);
  }
  const version = readVersion(document);
  const { template, inputs, notes } = choose(document, name, version, options);
  const [publisher = '', short = ''] = name.split('/');
  const title = readText(document, 'title');
  const description = readText(document, 'description');
  const websiteUrl = readText(document, 'websiteUrl');
  const repository = readKey(document, 'repository');
  const address = isRecord(repository) ? readText(repository, 'url') : undefined;
  return {
    source: options.source,
    reference: options.reference ?? (version === undefined ? name : `${name}@${version}`),
    name: short,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(version !== undefined && { version }),
    publisher,
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(address !== undefined && { repository: address }),
    inputs,
    template,
    notes,
  };
}

/** Schema 2025-07-09 had drafts with `version_detail`. */
function readVersion(document: Readonly<Record<string, unknown>>): string | undefined {
  const detail = readKey(document, 'versionDetail');
  return readText(document, 'version') ?? (isRecord(detail) ? readText(detail, 'version') : undefined);
}

/** A package or remote of the document. */
interface LaunchCandidate {
  readonly route: ServerRoute;
  readonly template: ServerTemplate;
  readonly inputs: ExistingServer['inputs'];
  readonly notes: readonly string[];
}

function choose(
  document: Readonly<Record<string, unknown>>,
  name: string,
  version: string | undefined,
  options: ServerJsonOptions,
): LaunchCandidate {
  const unusable: string[] = [];
  const read = (
    key: 'remotes' | 'packages',
    readOne: (held: UnknownRecord) => LaunchCandidate | string,
  ): LaunchCandidate[] =>
    listOf(readKey(document, key)).flatMap((held) => {
      const candidate = isRecord(held) ? readOne(held) : `an entry of "${key}" that is not an object`;
      if (typeof candidate !== 'string') return [candidate];
      unusable.push(candidate);
      return [];
    });
  const all = [...read('remotes', readRemote), ...read('packages', (held) => readPackage(held, version))];
  const candidates = all.filter(({ route }) => options.route === undefined || route === options.route);
  const [best] = candidates
    .map((candidate, index) => ({ candidate, rank: rankOf(candidate, options), index }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  if (best) return best.candidate;
  const offered = [...new Set(all.map(({ route }) => route)), ...unusable];
  const has = offered.length === 0 ? 'It has no packages and no remotes' : `It has: ${offered.join(', ')}`;
  const wanted =
    options.route === undefined ? 'no way to use it here' : `no way to use it by ${options.route}`;
  throw new AgentToolsError('refused', `${name} offers ${wanted}. ${has}.`);
}

function rankOf({ route, inputs }: LaunchCandidate, { available }: ServerJsonOptions): number {
  const asksSecret = inputs.some(({ isRequired, isSecret }) => isRequired && isSecret);
  if (route === 'remote') return asksSecret ? 2 : 0;
  return available.includes(route) ? 1 : 3;
}

/** Transport types of remotes, in the names of all schema versions. */
const remoteTransports: Readonly<Record<string, RemoteTransport>> = {
  'streamable-http': 'http',
  streamable: 'http',
  http: 'http',
  sse: 'sse',
};

/** A remote, or the reason against it. */
function readRemote(remote: UnknownRecord): LaunchCandidate | string {
  const type = readText(remote, 'type') ?? readText(remote, 'transportType') ?? '';
  const transport = Object.hasOwn(remoteTransports, type) ? remoteTransports[type] : undefined;
  if (!transport) return `a remote of the unknown type ${JSON.stringify(type)}`;
  const url = readText(remote, 'url');
  if (url === undefined || !/^https?:\/\/\S+$|^\{/.test(url)) return 'a remote without a valid "url"';
  const collector = new InputCollector();
  const address = collector.readVariables(url, readKey(remote, 'variables'));
  const headers = collector.readPairs(readKey(remote, 'headers'), 'header');
  const fault = faultyName(headers, possible.header);
  if (fault !== undefined) return `a remote with the impossible header ${JSON.stringify(fault)}`;
  const template: ServerTemplate = { kind: 'remote', transport, url: address, headers };
  return { route: 'remote', template, inputs: collector.inputs, notes: [] };
}

/** Names and fixed texts that a request or a process can have. */
const possible = {
  header: { name: /^[!#$%&'*+.^`|~\w-]+$/, text: /^[^\r\n\0]*$/ },
  env: { name: /^[^=\p{Cc}]+$/u, text: /^[^\0]*$/ },
} as const;

/** The first name that cannot be used, or has a text that cannot be used. */
function faultyName(
  pairs: Readonly<Record<string, TextTemplate>>,
  { name, text }: { readonly name: RegExp; readonly text: RegExp },
): string | undefined {
  const isFaulty = ([key, parts]: readonly [string, TextTemplate]) =>
    !name.test(key) || parts.some((part) => typeof part === 'string' && !text.test(part));
  return Object.entries(pairs).find(isFaulty)?.[0];
}

/** A package, or the reason against it. */
function readPackage(held: UnknownRecord, serverVersion: string | undefined): LaunchCandidate | string {
  const type = readText(held, 'registryType') ?? readText(held, 'registryName') ?? '';
  const identifier = readText(held, 'identifier') ?? readText(held, 'name');
  if (identifier === undefined || /\s|^-/.test(identifier))
    return `a package of type ${type} without "identifier"`;
  const transport = readKey(held, 'transport');
  const protocol = isRecord(transport) ? (readText(transport, 'type') ?? 'stdio') : 'stdio';
  if (protocol !== 'stdio')
    return `${type} package ${identifier}, which serves HTTP on this machine (${protocol})`;
  if (type === 'mcpb') return readBundle(held, identifier);
  if (!Object.hasOwn(runners, type)) return `${type || 'untyped'} package ${identifier}`;
  const collector = new InputCollector();
  const options = collector.readArguments(readKey(held, 'runtimeArguments'));
  const args = collector.readArguments(readKey(held, 'packageArguments'));
  const env = collector.readPairs(readKey(held, 'environmentVariables'), 'env');
  const fault = faultyName(env, possible.env);
  if (fault !== undefined)
    return `${type} package ${identifier} with the impossible variable ${JSON.stringify(fault)}`;
  const version = readText(held, 'version') ?? (type === 'oci' ? undefined : serverVersion);
  const { route, runner, reference } = runners[type]!({ identifier, version, options });
  if (!isPlainReference(reference)) {
    const shown = version === undefined ? identifier : `${identifier}@${version}`;
    return `${type} package ${JSON.stringify(shown)}, which is no name and version of such a package`;
  }
  const template: ServerTemplate = { kind: 'program', runner, args, env };
  return { route, template, inputs: collector.inputs, notes: optionNotes(identifier, route, options) };
}

/** A note on options of the runner, which can widen the access of the server: `docker run --privileged`. */
function optionNotes(
  identifier: string,
  route: ServerRoute,
  options: readonly ArgumentTemplate[],
): readonly string[] {
  const declared = options.filter(({ words }) => !isYes(words));
  if (declared.length === 0) return [];
  if (route === 'npm')
    return [`The options of npx that ${identifier} declares are not used: it runs without npx.`];
  const words = declared.flatMap((option) => option.words.map(wordOf));
  return [`${identifier} declares these options of ${route}, which are used: ${words.join(' ')}`];
}

function wordOf(parts: TextTemplate): string {
  return parts.map((part) => (typeof part === 'string' ? part : `<${part.input}>`)).join('');
}

/** True for the option by which npx asks no question. */
function isYes(words: readonly (readonly unknown[])[]): boolean {
  return words.length === 1 && ['-y', '--yes'].includes(String(words[0]?.[0]));
}

interface LaunchFacts {
  readonly identifier: string;
  readonly version: string | undefined;
  readonly options: Extract<ProgramRunner, { by: 'uvx' }>['options'];
}

/** `reference`: the package as a user would name it. */
interface PackageRun {
  readonly route: ServerRoute;
  readonly runner: ProgramRunner;
  readonly reference: ServerReference;
}

/** Runner of each registry type. */
const runners: Readonly<Record<string, (facts: LaunchFacts) => PackageRun>> = {
  npm: ({ identifier: name, version = 'latest' }) => ({
    route: 'npm',
    runner: { by: 'npm', name, version },
    reference: { kind: 'npm', name, version },
  }),
  pypi: ({ identifier: name, version, options }) => ({
    route: 'uvx',
    runner: { by: 'uvx', name, ...(version !== undefined && { version }), options },
    reference: { kind: 'pypi', name, ...(version !== undefined && { version }) },
  }),
  oci: ({ identifier, version, options }) => {
    const image = imageWith(identifier, version);
    return {
      route: 'docker',
      runner: { by: 'docker', image, options },
      reference: { kind: 'docker', image },
    };
  },
  nuget: ({ identifier: name, version, options }) => ({
    route: 'dnx',
    runner: { by: 'dnx', name, ...(version !== undefined && { version }), options },
    reference: { kind: 'nuget', name, ...(version !== undefined && { version }) },
  }),
};

/** Adds a version as tag, unless the image has a tag or a digest. Since 2025-10-11 images contain it. */
function imageWith(image: string, version: string | undefined): string {
  const hasTag = /@sha256:|:[^/]+$/.test(image);
  return hasTag || version === undefined ? image : `${image}:${version}`;
}

function readBundle(held: UnknownRecord, url: string): LaunchCandidate | string {
  if (!/^https:\/\//.test(url)) return 'a bundle without an https URL';
  const sha256 = readText(held, 'fileSha256')?.toLowerCase();
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) return 'a bundle with an invalid "fileSha256"';
  const template: ServerTemplate = { kind: 'bundle', url, ...(sha256 !== undefined && { sha256 }) };
  return { route: 'bundle', template, inputs: [], notes: [] };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function malformed({ locate }: ServerJsonOptions, path: DocumentPath, message: string): AgentToolsError {
  return new AgentToolsError('malformed-document', `${locate(path)}: ${message}`);
}
