import { isRecord } from '../base/value-checks.js';
import { readUriTemplate, type UriTemplate, UriTemplateError } from '../extension/uri-template.js';
import type { ResourceSpec } from '../runtime/specs.js';
import { isUiResource } from '../runtime/ui.js';
import type { UpstreamEntry, UpstreamListing } from '../runtime/upstream.js';
import { chosenName } from '../runtime/upstream-choice.js';
import type { WireItem } from '../runtime/wire-item.js';
import { commonFault, missingNames, noRequirements, type Selected } from './select-items.js';
import { type AppUris, defaultUpstreamCallTimeoutMs } from './select-tools.js';
import type { UriTable } from './uri-table.js';

/** Returns the specs of the selected resources and templates among those that an upstream server lists. */
export function takeResources(
  entry: UpstreamEntry,
  listing: UpstreamListing,
  { table, apps }: { readonly table: UriTable; readonly apps: AppUris },
): Selected<ResourceSpec> {
  const listed = [...(listing.resources ?? []), ...(listing.templates ?? [])];
  const items: ResourceSpec[] = [];
  const faults: string[] = [];
  const seen = { apps: new Set<string>(), resources: new Set<string>() };
  for (const one of listed) {
    const theirs = isRecord(one) ? (one.uri ?? one.uriTemplate) : undefined;
    if (typeof theirs !== 'string' || theirs === '') {
      faults.push('lists a resource that has no URI, which is left out');
      continue;
    }
    const kind = isUiResource({ uri: theirs }) ? 'apps' : 'resources';
    const listedName = (one as WireItem).name;
    const own = typeof listedName === 'string' ? listedName : theirs;
    if (seen[kind].has(theirs)) continue;
    seen[kind].add(theirs).add(own);
    const choice = entry[kind];
    const name = choice && chosenName(choice, own, theirs);
    if (name === undefined) continue;
    const fault = rejectReason(one as WireItem);
    if (fault !== undefined) {
      faults.push(`lists the resource ${JSON.stringify(theirs)}, which is left out: ${fault}`);
      continue;
    }
    const owner = kind === 'apps' ? undefined : table.claim(theirs, entry.upstream);
    if (owner === entry.upstream.key) continue;
    if (owner !== undefined) {
      const other = owner === '' ? 'this server itself has' : 'another upstream server has';
      faults.push(`lists the resource ${JSON.stringify(theirs)}, which is left out: ${other} its URI`);
      continue;
    }
    const uri = kind === 'apps' ? apps.uriOf(theirs)! : theirs;
    if (kind === 'apps' && !table.take(uri)) continue;
    items.push(toUpstreamResource(entry, one as WireItem, { listing, name, uri, theirs, apps }));
  }
  const missing = (['resources', 'apps'] as const).flatMap((kind) => {
    const choice = entry[kind];
    if (!choice || !listing.resources || !listing.templates) return [];
    return missingNames(choice, seen[kind], kind === 'apps' ? 'app' : 'resource');
  });
  return { items, faults: [...faults, ...missing] };
}

/** Specs for app pages that tools name and no list shows. */
export function unlistedApps(
  entry: UpstreamEntry,
  uris: readonly string[],
  { listing, table, apps }: { listing: UpstreamListing; table: UriTable; apps: AppUris },
): readonly ResourceSpec[] {
  return uris.flatMap((theirs) => {
    const uri = apps.uriOf(theirs);
    if (uri === undefined || !table.take(uri)) return [];
    const wire: WireItem = { uri, name: theirs };
    return [
      { ...toUpstreamResource(entry, wire, { listing, name: theirs, uri, theirs, apps }), hidden: true },
    ];
  });
}

/** True if the upstream server of an entry may be asked for a URI that no list shows. */
export function canReadUnlisted(entry: UpstreamEntry, uri: string): boolean {
  const choice = entry[isUiResource({ uri }) ? 'apps' : 'resources'];
  return choice !== undefined && choice.only === undefined && !choice.except.includes(uri);
}

function rejectReason(resource: WireItem): string | undefined {
  if (typeof resource.name !== 'string') return 'it has no name';
  const texts = ['title', 'description', 'mimeType'];
  return commonFault(resource, { texts, records: ['annotations', '_meta'] });
}

function toUpstreamResource(
  { upstream, definition, changes }: UpstreamEntry,
  listed: WireItem,
  more: {
    readonly listing: UpstreamListing;
    readonly name: string;
    readonly uri: string;
    readonly theirs: string;
    readonly apps: AppUris;
  },
): ResourceSpec {
  const { listing, name, uri, theirs, apps } = more;
  const isTemplate = listed.uri === undefined;
  const { offers } = listing;
  return {
    kind: 'resources',
    item: `${definition.extension.qualify(definition.item)}#${uri}`,
    name,
    wire: { ...listed, ...(isTemplate ? { uriTemplate: uri } : { uri }), name },
    hidden: false,
    timeoutMs: changes.timeoutMs ?? defaultUpstreamCallTimeoutMs,
    requires: noRequirements,
    cache: undefined,
    definition,
    uri: isTemplate ? undefined : uri,
    uriTemplate: isTemplate ? uri : undefined,
    template: isTemplate ? templateOf(uri) : undefined,
    isCode: false,
    read: async () => {
      throw new Error(`Resource ${uri} is answered by an upstream server.`);
    },
    list: undefined,
    complete: new Map(),
    subscribable: offers.subscriptions,
    upstream: {
      upstream,
      theirs,
      hasCompletions: offers.completions,
      ...(apps.replaced && { uris: apps.replaced }),
    },
  };
}

/** Undefined for a template with ambiguous values: its URIs are found by asking the upstream server. */
function templateOf(text: string): UriTemplate | undefined {
  try {
    return readUriTemplate(text);
  } catch (error) {
    if (!(error instanceof UriTemplateError)) throw error;
    return undefined;
  }
}
