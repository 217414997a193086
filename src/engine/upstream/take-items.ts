import { isRecord } from '../base/value-checks.js';
import type { Servable } from '../runtime/compose-server.js';
import { appUriOf, isUiResource } from '../runtime/ui.js';
import type { ReplacedUris, UpstreamEntry, UpstreamListing } from '../runtime/upstream.js';
import { chosenName } from '../runtime/upstream-choice.js';
import type { UpstreamItems } from '../runtime/upstream-items.js';
import { takePrompts } from './select-prompts.js';
import { takeResources, unlistedApps } from './select-resources.js';
import { takeSkills } from './select-skills.js';
import { type AppUris, takeTools } from './select-tools.js';
import { UriTable } from './uri-table.js';

/** The items that the entries of a server take from their upstream servers. */
export interface TakenItems {
  readonly items: ReadonlyMap<UpstreamEntry, UpstreamItems>;
  /** Problems, as ends of sentences about the upstream server of the entry. */
  readonly faults: readonly { readonly entry: UpstreamEntry; readonly problem: string }[];
}

/** Selects the items of all entries from the listings of their upstream servers. */
export function takeItems(
  server: Servable,
  listingOf: (entry: UpstreamEntry, index: number) => UpstreamListing | undefined,
): TakenItems {
  const table = new UriTable(server);
  const appUris = new Map<string, ReadonlyMap<string, string>>();
  const items = new Map<UpstreamEntry, UpstreamItems>();
  const faults: { entry: UpstreamEntry; problem: string }[] = [];
  for (const [index, entry] of server.upstreams.entries()) {
    const listing = listingOf(entry, index);
    if (!listing) continue;
    const { key } = entry.upstream;
    const known = appUris.get(key) ?? claimApps(entry, listing, table);
    appUris.set(key, known);
    const apps = chosenApps(entry, listing, known);
    const tools = takeTools(entry, listing, apps);
    const prompts = takePrompts(entry, listing, apps.replaced);
    const resources = takeResources(entry, listing, { table, apps });
    const skills = takeSkills(entry, listing);
    const named = tools.items.flatMap(({ ui }) => appUriOf(ui?.written) ?? []);
    const isNamed = (uri: string) => named.includes(apps.uriOf(uri) ?? '');
    const unlisted = unlistedApps(entry, [...known.keys()].filter(isNamed), { listing, table, apps });
    const { title, info, instructions } = listing;
    items.set(entry, {
      tools: tools.items,
      prompts: prompts.items,
      resources: [...resources.items, ...unlisted],
      ...(skills.skills.size > 0 && { skills: skills.skills }),
      ...(info && { info }),
      ...(instructions !== undefined && { instructions: { title, text: instructions } }),
    });
    const problems = [...tools.faults, ...prompts.faults, ...resources.faults, ...skills.faults];
    faults.push(...problems.map((problem) => ({ entry, problem })));
  }
  return { items, faults };
}

/** URIs on this server of all apps of an upstream server: another one may have the same URI. */
function claimApps(
  { upstream }: UpstreamEntry,
  listing: UpstreamListing,
  table: UriTable,
): ReadonlyMap<string, string> {
  const listed = [...(listing.resources ?? []), ...(listing.templates ?? [])].flatMap((one) => {
    const uri = isRecord(one) ? (one.uri ?? one.uriTemplate) : undefined;
    return typeof uri === 'string' ? [uri] : [];
  });
  const named = (listing.tools ?? []).flatMap((tool) => (isRecord(tool) ? (appUriOf(tool._meta) ?? []) : []));
  const uris = [...new Set([...listed, ...named])].filter((uri) => isUiResource({ uri }));
  return new Map(uris.map((uri) => [uri, table.claimLike(uri, upstream)]));
}

function chosenApps(
  { apps: choice }: UpstreamEntry,
  { resources }: UpstreamListing,
  known: ReadonlyMap<string, string>,
): AppUris {
  const names = new Map(
    (resources ?? []).flatMap((one) =>
      isRecord(one) && typeof one.name === 'string' ? [[one.uri, one.name] as const] : [],
    ),
  );
  const isChosen = (uri: string) =>
    choice !== undefined && chosenName(choice, names.get(uri) ?? uri, uri) !== undefined;
  const replaced: ReplacedUris = new Map([...known].filter(([theirs, ours]) => theirs !== ours));
  return {
    uriOf: (theirs) => (isChosen(theirs) ? (known.get(theirs) ?? theirs) : undefined),
    replaced: replaced.size > 0 ? replaced : undefined,
  };
}
