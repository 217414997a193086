import { isRecord } from '../base/value-checks.js';
import { shortenText } from '../base/visible-text.js';
import { kinds } from '../extension/item-kinds.js';
import { type Declaration, hasItems, type ManifestContent } from '../extension/manifest.js';
import { isItemName, parseQualifiedName, qualify, shortName } from '../extension/names.js';
import type { ServerOutline } from './listed-server.js';
import type { OutlineUpstream } from './outline-upstreams.js';

/** A package from which servers are outlined. */
export interface PackageOutline {
  readonly name: string;
  readonly content: ManifestContent;
  /** Default description of its servers. */
  readonly about: unknown;
  /** Returns the qualified name of an item. */
  readonly qualify: (item: string) => string;
  /** Default: existing MCP servers in lists are skipped. */
  readonly outlineUpstream?: OutlineUpstream;
}

/** Outlines a package under its lookup name, which takes precedence over the name in its `package.json`. */
export function outlinePackage(name: string, content: ManifestContent): PackageOutline {
  const { value } = content.packageJson;
  const about = isRecord(value) ? value.description : undefined;
  return { name, content, about, qualify: (item) => qualify(name, item) };
}

/** Servers of a package, from its manifest alone. */
export function declaredServers(outlined: PackageOutline): readonly ServerOutline[] {
  const { servers } = outlined.content.declarations;
  if (servers.length > 0) return servers.map((declaration) => declaredServer(declaration, outlined));
  return hasItems(outlined.content) ? [outlineImplicitServer(outlined)] : [];
}

/** Server for which only the declaration is known: lists that it omits may contain all items. */
export function declaredServer(declaration: Declaration, outlined: PackageOutline): ServerOutline {
  const { name, description, metadata } = declaration;
  const { tools = '*', prompts = '*' } = metadata;
  return outline(name, { description, tools, prompts }, outlined);
}

/** Server for which the definition is known, too. */
export function definedServer(
  { name, description }: Declaration,
  definition: Readonly<Record<string, unknown>>,
  outlined: PackageOutline,
): ServerOutline {
  const { tools, prompts, version } = definition;
  return outline(
    name,
    { description: definition.description ?? description, tools, prompts, version },
    outlined,
  );
}

function outlineImplicitServer(outlined: PackageOutline): ServerOutline {
  return outline(shortName(outlined.name), { tools: '*', prompts: '*' }, outlined);
}

/**
 * Resources of a server for which at most the declaration is known. Without a list, it may have all
 * resources.
 */
export function listedResources(
  declaration: Declaration | undefined,
  outlined: PackageOutline,
): readonly string[] {
  return listedItemNames('resources', declaration?.metadata.resources ?? '*', outlined);
}

/** False for packages that declare too much to review: every server may list every item. */
export function isListable({ declarations }: ManifestContent): boolean {
  const declared = kinds.reduce((sum, kind) => sum + declarations[kind].length, 0);
  const { servers, tools, prompts } = declarations;
  const listed = servers.reduce((sum, { metadata }) => {
    return sum + countListed(metadata.tools, tools.length) + countListed(metadata.prompts, prompts.length);
  }, 0);
  return declared <= maxDeclared && listed <= maxListed;
}

const maxDeclared = 1000;
const maxListed = 10_000;

function countListed(list: unknown, all: number): number {
  return Array.isArray(list) ? list.length : all;
}

/** Values of a definition or declaration, not validated. */
interface OutlineSource {
  readonly description?: unknown;
  readonly version?: unknown;
  readonly tools: unknown;
  readonly prompts: unknown;
}

function outline(
  item: string,
  { description, version, tools, prompts }: OutlineSource,
  outlined: PackageOutline,
): ServerOutline {
  const { packageVersion } = outlined.content;
  const text = [description, outlined.about].find((one) => typeof one === 'string' && one.trim() !== '');
  const entries = Array.isArray(tools) ? (tools as readonly unknown[]) : [];
  const upstreams = entries.flatMap((entry) => outlined.outlineUpstream?.(entry) ?? []);
  const theirPrompts = upstreams.flatMap((upstream) => upstream.prompts);
  return {
    name: outlined.qualify(item),
    description: text === undefined ? null : shortenText(text as string, longestDescription),
    version: shortenText(typeof version === 'string' ? version : packageVersion, longestVersion),
    tools: listedItemNames('tools', tools, outlined),
    prompts: [...new Set([...listedItemNames('prompts', prompts, outlined), ...theirPrompts])],
    ...(upstreams.length > 0 && { upstreams: upstreams.map(({ label }) => label) }),
  };
}

/** Limits of a listing, in characters. `show` prints the full values. */
const longestDescription = 1000;
const longestVersion = 100;

/** Items that a list of a server names, in its order. Skips invalid names. */
function listedItemNames(
  kind: 'tools' | 'prompts' | 'resources',
  list: unknown,
  { content, qualify, outlineUpstream }: PackageOutline,
): readonly string[] {
  const declared = content.declarations[kind].map(({ name }) => name);
  if (list === '*') return declared.map(qualify);
  if (!Array.isArray(list)) return [];
  const known = new Set(declared);
  const names = list.flatMap((entry) => {
    if (kind === 'tools' && isRecord(entry) && typeof entry.toolkit === 'string') {
      const toolkit = content.toolkits.find(({ name }) => name === entry.toolkit);
      return (toolkit?.tools ?? []).map(({ name }) => qualify(name));
    }
    const { use: reference, name } = isRecord(entry) ? entry : { use: entry, name: undefined };
    const upstream = kind === 'tools' ? outlineUpstream?.(entry) : undefined;
    if (upstream) return upstream.tools;
    // Inline definition in the list.
    if (reference === undefined) return isItemName(name) ? [qualify(name)] : [];
    if (isItemName(reference)) return [known.has(reference) ? qualify(reference) : reference];
    const qualified = typeof reference === 'string' ? parseQualifiedName(reference) : undefined;
    return qualified ? [`${qualified.package}/${qualified.item}`] : [];
  });
  return [...new Set(names)].slice(0, maxDeclared);
}
