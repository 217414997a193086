import { isRecord } from '../base/value-checks.js';
import { shortenText } from '../base/visible-text.js';
import { deriveKey } from '../clients/entry-keys.js';
import { type Kind, singular } from '../extension/item-kinds.js';
import type { Declaration, ManifestContent } from '../extension/manifest.js';
import { isItemName, qualify } from '../extension/names.js';
import type {
  DeclaredParameterFacts,
  InstallationFacts,
  PublicationFacts,
  PublishedDeclarationFacts,
  PublishedFacts,
  PublishedItemFacts,
  PublishedPackageFacts,
  PublishedServerFacts,
} from './facts.js';
import type { ServerOutline } from './listed-server.js';
import { declaredServers, listedResources, outlinePackage } from './package-outline.js';
import type { PublishedExtension } from './published.js';

/**
 * Facts of a package that is not installed, or of one of its items. Without an item: its only server, or the
 * package if it has several. A server has precedence, then a tool, a prompt, a resource, an app. Undefined if
 * there is no such item.
 */
export async function publishedFacts(
  published: PublishedExtension,
  item: string | undefined,
  installationsOf: (server: string) => Promise<readonly InstallationFacts[]>,
): Promise<PublishedFacts | undefined> {
  const { name, content } = published;
  const servers = declaredServers(outlinePackage(name, content));
  const factsOf = async (server: ServerOutline) =>
    serverFacts(server, published, await installationsOf(server.name));
  if (item === undefined)
    return servers.length === 1 ? await factsOf(servers[0]!) : publishedPackageFacts(published);
  const server = servers.find((one) => one.name === qualify(name, item));
  return server ? await factsOf(server) : itemFacts(item, published);
}

function serverFacts(
  server: ServerOutline,
  published: PublishedExtension,
  installations: readonly InstallationFacts[],
): PublishedServerFacts {
  const { name, content } = published;
  const item = server.name.slice(name.length + 1);
  const declaration = content.declarations.servers.find((one) => one.name === item);
  const { configKey } = declaration?.metadata ?? {};
  return {
    kind: 'server',
    name: server.name,
    description: server.description,
    package: name,
    ...publicationFacts(published),
    configKey: isItemName(configKey) ? configKey : deriveKey(item),
    tools: server.tools.map((one) => referencedFacts('tools', one, published)),
    prompts: server.prompts.map((one) => referencedFacts('prompts', one, published)),
    resources: listedResources(declaration, outlinePackage(name, content)).map((one) =>
      referencedFacts('resources', one, published),
    ),
    installations,
  };
}

function publishedPackageFacts(published: PublishedExtension): PublishedPackageFacts {
  const { name, content } = published;
  const { value } = content.packageJson;
  const declared = (kind: Kind) => content.declarations[kind].map((one) => declarationFacts(one, name));
  return {
    kind: 'package',
    name,
    description: stringOrNull(isRecord(value) ? value.description : undefined),
    ...publicationFacts(published),
    servers: declared('servers'),
    tools: declared('tools'),
    prompts: declared('prompts'),
    resources: declared('resources'),
    apps: declared('apps'),
  };
}

/** Kinds of items in order of precedence. */
const itemKinds = ['tools', 'prompts', 'resources', 'apps'] as const;

function itemFacts(item: string, published: PublishedExtension): PublishedItemFacts | undefined {
  const { name, content } = published;
  for (const kind of itemKinds) {
    const declaration = findDeclaration(kind, item, content);
    if (!declaration) continue;
    const origin = { package: name, ...publicationFacts(published) };
    return { kind: singular[kind], ...declarationFacts(declaration, name), ...origin };
  }
  return undefined;
}

function publicationFacts({ content, publication }: PublishedExtension): PublicationFacts {
  return { installed: false, version: shortenText(content.packageVersion, 100), ...publication };
}

/** Facts of an item that a server lists: full for items of this package, otherwise names only. */
function referencedFacts(
  kind: 'tools' | 'prompts' | 'resources',
  reference: string,
  { name, content }: PublishedExtension,
): PublishedDeclarationFacts {
  const own = reference.startsWith(`${name}/`) ? reference.slice(name.length + 1) : undefined;
  const declaration = own === undefined ? undefined : findDeclaration(kind, own, content);
  if (declaration) return declarationFacts(declaration, name);
  const item = reference.slice(reference.lastIndexOf('/') + 1);
  return { name: item, item: reference, description: null, ...parameterFacts(kind, {}) };
}

function findDeclaration(
  kind: Kind,
  item: string,
  { declarations }: ManifestContent,
): Declaration | undefined {
  return declarations[kind].find(({ name }) => name === item);
}

function declarationFacts(
  { kind, name, description, metadata }: Declaration,
  packageName: string,
): PublishedDeclarationFacts {
  return {
    name,
    item: qualify(packageName, name),
    description: stringOrNull(description),
    ...parameterFacts(kind, metadata),
  };
}

function parameterFacts(
  kind: Kind,
  { parameters, arguments: args }: Declaration['metadata'],
): Pick<PublishedDeclarationFacts, 'parameters' | 'arguments'> {
  if (kind === 'tools') return { parameters: readParameters(parameters) };
  return kind === 'prompts' ? { arguments: readParameters(args) } : {};
}

/**
 * Reads declared parameters: a list of names or of objects with names, or an object by name. Null if
 * undeclared.
 */
function readParameters(said: unknown): readonly DeclaredParameterFacts[] | null {
  if (said === undefined) return null;
  const entries = Array.isArray(said) ? said.map(namedEntry) : isRecord(said) ? Object.entries(said) : [];
  return entries.slice(0, maxParameters).flatMap(([name, about]) => {
    if (typeof name !== 'string') return [];
    const { description, Help: help, required } = isRecord(about) ? about : {};
    const text = stringOrNull(description ?? help);
    const isRequired = typeof required === 'boolean' ? required : null;
    return [{ name: shortenText(name, maxNameLength), description: text, required: isRequired }];
  });
}

function namedEntry(entry: unknown): readonly [unknown, unknown] {
  if (Array.isArray(entry)) return [entry[0], entry[1]];
  return isRecord(entry) ? [entry.name, entry] : [entry, undefined];
}

/** Limits for published declarations: number of parameters, characters of names and texts. */
const maxParameters = 100;
const maxNameLength = 200;
const maxTextLength = 10_000;

function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? shortenText(value, maxTextLength) : null;
}
