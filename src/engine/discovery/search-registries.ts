import path from 'node:path';
import { forEachLimited } from '../base/concurrency.js';
import { parseUrl } from '../base/parse-url.js';
import { withTimeLimit } from '../base/time-limit-signal.js';
import { shortenText } from '../base/visible-text.js';
import { listFaults } from '../extension/manifest.js';
import { RegistryError, type RegistryFault } from '../npm/registry.js';
import type { RegistryEndpoint } from '../npm/settings.js';
import { withoutUserinfo } from '../npm/without-userinfo.js';
import type { ReportFound } from './discovery-source.js';
import {
  keepListing,
  type LeftOutPackage,
  type RegistryListing,
  type RemotePackage,
  readListing,
} from './listing-cache.js';
import { declaredServers, outlinePackage } from './package-outline.js';
import { PublishedError, readPublished } from './published.js';
import type { Registries } from './registries.js';
import { type SearchHit, searchExtensions } from './search.js';

export interface RemoteSearch {
  readonly registries: Registries;
  readonly cacheFolder: string;
  /** True to ignore recent results. */
  readonly refresh: boolean;
  /** Results per page of a search. */
  readonly pageSize: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Receives progress messages. */
  readonly tell: (text: string) => void;
  /** True if a package may contain a match. Default: every package may. */
  readonly isMeant?: (packageName: string) => boolean;
}

/** Results younger than this are reused without a request, in milliseconds. */
const freshMs = 15 * 60 * 1000;

/** Reports the servers in all registries. A failure of one registry does not affect the others. */
export async function searchRegistries(
  search: RemoteSearch,
  report: ReportFound,
  signal: AbortSignal,
): Promise<void> {
  const { places } = search.registries;
  const usable = places.filter(({ url }) => parseUrl(url));
  for (const place of places) if (!usable.includes(place)) report.note(unusableNote(place));
  const distinct = new Map(usable.toReversed().map((place) => [place.url, place]));
  const searching = [...distinct.values()].map(async (place) => {
    try {
      await searchRegistry(place, search, report, signal);
    } catch (error) {
      const why = withoutUserinfo(error instanceof Error ? error.message : String(error));
      report.note(`The registry ${urlHost(place.url)} cannot be searched: ${why}`);
    }
  });
  await Promise.all(searching);
}

/** Omits the configured value, which may contain a password. */
function unusableNote({ scope }: RegistryEndpoint): string {
  const [what, key] = scope === undefined ? ['', 'registry'] : [` for ${scope}`, `${scope}:registry`];
  return `The registry address${what} in the npm settings is invalid. Its servers are not listed. See it with: npm config get ${key}`;
}

async function searchRegistry(
  place: RegistryEndpoint,
  search: RemoteSearch,
  report: ReportFound,
  signal: AbortSignal,
): Promise<void> {
  const { registries, cacheFolder, refresh, now, isMeant = () => true } = search;
  const reportNotes = ({ leftOut, notes }: RegistryListing) => {
    const meant = leftOut.filter(({ name }) => isMeant(name));
    for (const note of notes) report.note(note);
    if (meant.length > 0) report.note(leftOutNote(meant, urlHost(place.url)));
  };
  const reportListing = (listing: RegistryListing) => {
    for (const one of listing.packages) reportPackage(one, report);
    reportNotes(listing);
  };
  const file = path.join(cacheFolder, 'listings', `${registries.identityOf(place)}.json`);
  const kept = await readListing(file, now());
  if (kept && !refresh && now() - kept.time < freshMs) return reportListing(kept);
  try {
    const { listing, isWhole } = await listRegistry(place, search, { report, signal });
    reportNotes(listing);
    if (isWhole) await keepListing(file, listing);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const { what, wayOut } = describeRegistryFailure(error);
    report.note(`The registry ${urlHost(place.url)} ${what}. ${describeFallback(kept, now())}${wayOut}`);
    if (kept) reportListing(kept);
  }
}

function reportPackage({ name, publication, servers, notes }: RemotePackage, report: ReportFound): void {
  const place = { source: 'remote', location: null } as const;
  report.found({
    name,
    servers: servers.map((server) => ({ ...server, ...place, ...publication })),
    notes,
  });
}

function describeRegistryFailure({ fault, message }: RegistryError): {
  readonly what: string;
  readonly wayOut: string;
} {
  if (fault === 'offline') return { what: 'cannot be reached', wayOut: '' };
  if (fault === 'unauthorized') return { what: 'does not allow searches', wayOut: ' Log in with: npm login' };
  if (fault === 'failed') {
    const why = shortenText(message, longestReason).replace(/\.$/, '');
    return { what: `cannot be searched: ${why}`, wayOut: '' };
  }
  return { what: 'has no search that finds extensions', wayOut: ` ${byName}` };
}

/** Longest quoted reason, in characters: libraries quote responses. */
const longestReason = 300;

/** Alternative that needs no search. */
const byName = 'Show one by its name with: agenttools show <package>';

function describeFallback(kept: RegistryListing | undefined, now: number): string {
  return kept
    ? `Its servers are listed as they were ${formatDuration(now - kept.time)} ago.`
    : 'Its servers are not listed.';
}

/** Omits the rest of the URL, which may contain passwords. */
function urlHost(url: string): string {
  return new URL(url).host;
}

function formatDuration(ms: number): string {
  const units = [
    [24 * 60 * 60 * 1000, 'day'],
    [60 * 60 * 1000, 'hour'],
    [60 * 1000, 'minute'],
  ] as const;
  for (const [length, name] of units) {
    const count = Math.floor(ms / length);
    if (count > 0) return `${count} ${name}${count === 1 ? '' : 's'}`;
  }
  return 'less than a minute';
}

/** Parallel requests. Few, to avoid rate limits of registries. */
const packagesAtOnce = 12;

/** Longest time for one package, in milliseconds. */
const packageTimeLimitMs = 20_000;

/** Largest listing, in characters. Further packages are skipped. */
const maxListingLength = 10_000_000;

interface RemoteListContext {
  readonly report: ReportFound;
  readonly signal: AbortSignal;
}

/** Lists all extensions of a registry. `isWhole` is false if a later attempt may find more. */
async function listRegistry(
  place: RegistryEndpoint,
  { registries, pageSize, now, tell }: RemoteSearch,
  { report, signal }: RemoteListContext,
): Promise<{ readonly listing: RegistryListing; readonly isWhole: boolean }> {
  const host = urlHost(place.url);
  tell(`Searching ${host}`);
  const { hits, isPartial } = await searchExtensions({ registries, place, pageSize, signal });
  const packages: RemotePackage[] = [];
  const leftOut = new Map<string, PublishedError>();
  let length = 0;
  let asked = 0;
  await forEachLimited(hits, packagesAtOnce, async (hit) => {
    asked += 1;
    tell(`Reading packages of ${host}: ${asked} of ${hits.length}`);
    if (length > maxListingLength) return void leftOut.set(hit.name, listingFull);
    const found = await readHit(hit, { registries, signal }).catch((error: unknown) => {
      if (!(error instanceof PublishedError)) throw error;
      leftOut.set(hit.name, error);
    });
    if (!found) return;
    length += JSON.stringify(found).length;
    packages.push(found);
    reportPackage(found, report);
  });
  signal.throwIfAborted();
  const notes = isPartial ? [`The search of ${host} does not find all extensions. ${byName}`] : [];
  const isWhole = [...leftOut.values()].every(({ fault }) => !transientFaults.includes(fault));
  return { listing: { time: now(), packages, leftOut: sortedByName(leftOut), notes }, isWhole };
}

const listingFull = new PublishedError('too-large', 'the registry has more than can be listed');

/** Faults that may disappear on retry. */
const transientFaults: readonly RegistryFault[] = ['offline', 'failed'];

async function readHit(
  { name, publisher, published }: SearchHit,
  { registries, signal }: { readonly registries: Registries; readonly signal: AbortSignal },
): Promise<RemotePackage | undefined> {
  const limited = withTimeLimit(signal, packageTimeLimitMs);
  const found = await readPublished(name, { registries, signal: limited, withTime: published === null });
  if (!found?.isOffered) return undefined;
  const { publication, content } = found;
  return {
    name,
    publication: {
      publisher: publication.publisher ?? publisher,
      published: publication.published ?? published,
      provenance: publication.provenance,
    },
    servers: declaredServers(outlinePackage(name, content)),
    notes: listFaults(content).map((fault) => `${name}: ${fault}`),
  };
}

/** Meaning of each fault for users that search servers. */
const reasons: Readonly<Record<RegistryFault, string>> = {
  unauthorized: 'private',
  'too-large': 'too large',
  'not-found': 'gone',
  malformed: 'broken',
  unsupported: 'unavailable',
  offline: 'not reached',
  failed: 'unavailable',
};

const packagesInDetail = 5;

function sortedByName(leftOut: ReadonlyMap<string, PublishedError>): readonly LeftOutPackage[] {
  const sorted = [...leftOut].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, { fault, message }]) => ({ name, reason: reasons[fault], message }));
}

/** One line for any number of packages: the count of each reason, and details of the first packages. */
function leftOutNote(leftOut: readonly LeftOutPackage[], host: string): string {
  const counts = new Map<string, number>();
  for (const { reason } of leftOut) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const summary = [...counts].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const details = leftOut.slice(0, packagesInDetail).map(({ name, message }) => `${name}: ${message}`);
  const more = leftOut.length > packagesInDetail ? [`and ${leftOut.length - packagesInDetail} more`] : [];
  const what = leftOut.length === 1 ? '1 package' : `${leftOut.length} packages`;
  return `${what} of ${host} left out (${summary}). ${[...details, ...more].join('; ')}`;
}
