import { shortenText } from '../base/visible-text.js';
import { isRecord } from '../extension/definition-shapes.js';
import { kinds } from '../extension/item-kinds.js';
import { type Declaration, hasItems, type ManifestContent } from '../extension/manifest.js';
import { isItemName, parseQualifiedName, qualify, shortName } from '../extension/names.js';
import type { ServerOutline } from './listed-server.js';

/** A package, as its servers are outlined from it. */
export interface PackageOutline {
  readonly name: string;
  readonly content: ManifestContent;
  /** What is said of a server that says nothing of itself. */
  readonly about: unknown;
  /** How its items are called everywhere else. */
  readonly qualify: (item: string) => string;
}

/** A package by the name that it is found by, whatever it calls itself. */
export function outlinePackage(name: string, content: ManifestContent): PackageOutline {
  const { value } = content.packageJson;
  const about = isRecord(value) ? value.description : undefined;
  return { name, content, about, qualify: (item) => qualify(name, item) };
}

/** The servers of a package, as far as its manifest tells. */
export function declaredServers(outlined: PackageOutline): readonly ServerOutline[] {
  const { servers } = outlined.content.declarations;
  if (servers.length > 0) return servers.map((declaration) => declaredServer(declaration, outlined));
  return hasItems(outlined.content) ? [outlineImplicitServer(outlined)] : [];
}

/** A server of which only its declaration is known: what it does not list, it may have. */
export function declaredServer(declaration: Declaration, outlined: PackageOutline): ServerOutline {
  const { name, description, metadata } = declaration;
  const { tools = '*', prompts = '*' } = metadata;
  return outline(name, { description, tools, prompts }, outlined);
}

/** A server of which the definition is known, too. */
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

/** The resources of a server of which only its declaration, if that, is known; what it does not list, it may have. */
export function listedResources(
  declaration: Declaration | undefined,
  outlined: PackageOutline,
): readonly string[] {
  return listedItemNames('resources', declaration?.metadata.resources ?? '*', outlined);
}

/** Whoever declares more than anybody could look over is not listed: every server may list every item. */
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

/** What a definition or a declaration says, in whatever form. */
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
  return {
    name: outlined.qualify(item),
    description: text === undefined ? null : shortenText(text as string, longestDescription),
    version: shortenText(typeof version === 'string' ? version : packageVersion, longestVersion),
    tools: listedItemNames('tools', tools, outlined),
    prompts: listedItemNames('prompts', prompts, outlined),
  };
}

/** A list is to be looked over; whoever has more to say is read with `show`. */
const longestDescription = 1000;
const longestVersion = 100;

/** The items that a list of a server names, in its order. What is no name is left out. */
function listedItemNames(
  kind: 'tools' | 'prompts' | 'resources',
  list: unknown,
  { content, qualify }: PackageOutline,
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
    // A definition right in the list.
    if (reference === undefined) return isItemName(name) ? [qualify(name)] : [];
    if (isItemName(reference)) return [known.has(reference) ? qualify(reference) : reference];
    const qualified = typeof reference === 'string' ? parseQualifiedName(reference) : undefined;
    return qualified ? [`${qualified.package}/${qualified.item}`] : [];
  });
  return [...new Set(names)].slice(0, maxDeclared);
}
