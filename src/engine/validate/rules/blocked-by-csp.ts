import { parseUrl } from '../../base/parse-url.js';
import { isRecord } from '../../base/value-checks.js';
import { coversAddress } from '../../extension/origins.js';
import type { LocatedRequest } from '../facts/pages.js';
import type { CspList } from '../page/page-findings.js';
import { defineRule, type Rule } from './rule.js';

export const blockedByCsp: Rule = defineRule({
  code: 'blocked-by-csp',
  severity: 'warning',
  summary: 'A page loads nothing that the policy of its host blocks.',
  *check({ items }) {
    for (const { kind, ref, definition, page } of items) {
      if (kind !== 'apps' || !page) continue;
      const { name } = ref;
      for (const { by, location } of page.evaluations) {
        const reason = 'The policy of hosts does not run text as code. Write the code directly.';
        yield { location, item: ref, facts: { name, what: `uses ${by}`, reason } };
      }
      // Without readable metadata the allowed origins are unknown.
      if (!definition) continue;
      const lists = readCspSources(definition.value.csp);
      for (const reach of page.reaches) {
        const reason = explainBlocked(reach, lists, page.base);
        if (reason === undefined) continue;
        const { by, url, location } = reach;
        yield { location, item: ref, facts: { name, what: `requests ${quoteUrl(url)} (${by})`, reason } };
      }
    }
  },
  message: ({ name, what, reason }) => `The page of app "${name}" ${what}. ${reason}`,
});

type CspSources = Readonly<Partial<Record<string, readonly string[]>>>;

function readCspSources(csp: unknown): CspSources {
  const entries = Object.entries(isRecord(csp) ? csp : {}).map(([list, held]) => [
    list,
    Array.isArray(held) ? held.filter((entry) => typeof entry === 'string') : [],
  ]);
  return Object.fromEntries(entries) as CspSources;
}

/** URLs within the page, and URLs that load nothing. */
const localUrl = /^(?:$|#|(?:about|javascript|mailto|tel):)/i;

/** Requests that may have a `data:` URL: images, sound and video. The element of `.src` is unknown. */
const embeds = /^(?:<(?:img|source|audio|video|track|input|image|use) |url\(\)$|\.src$|new Audio\()/;

/** True if the request may have a `data:` URL. The icon of a `<link>` is an image. */
function isEmbedded(written: string, by: string): boolean {
  if (!/^data:/i.test(written)) return false;
  return embeds.test(by) || (by.startsWith('<link') && !/^data:(?:text|application|font)\//i.test(written));
}

function explainBlocked(
  { url, lists, by }: LocatedRequest,
  csp: CspSources,
  base: string | undefined,
): string | undefined {
  const written = url.trim();
  if (localUrl.test(written) || isEmbedded(written, by)) return undefined;
  if (lists.length === 0) {
    return by.includes('action')
      ? 'Hosts do not let an app leave its page. Call a tool of your server instead.'
      : 'Hosts allow no plugins. Use an image, a video or a frame instead.';
  }
  if (/^(?:data|blob):/i.test(written)) {
    return 'Only images, sound and video can have a "data:" URL. Put the content itself into the page.';
  }
  const address = resolveUrl(written, by, base);
  if (!address) {
    return 'The page has no URL that this could be relative to. Put the content into the page.';
  }
  if (lists.some((list) => csp[list]?.some((origin) => coversAddress(origin, address)))) return undefined;
  if (!/^(?:https?|wss?):$/.test(address.protocol)) {
    return `Hosts block URLs that begin with "${address.protocol}". Put the content into the page.`;
  }
  return `Its policy does not allow that. Put the content into the page, or add "${address.protocol}//${address.host}" to ${cspListNames(lists)} in its metadata.`;
}

/** Resolves a URL; undefined if that needs the URL of the page. */
function resolveUrl(written: string, by: string, base: string | undefined): URL | undefined {
  // A bare specifier such as "lodash" is not a path, and <base> does not apply to it.
  if (by.startsWith('import') && !/^(?:[a-z][a-z\d+.-]*:|\.{0,2}\/)/i.test(written)) return undefined;
  const absolute = written.startsWith('//') ? `https:${written}` : written;
  const from = base !== undefined && parseUrl(base) ? base : undefined;
  return parseUrl(absolute, from);
}

function cspListNames(lists: readonly CspList[]): string {
  return lists.map((list) => `csp.${list}`).join(' or ');
}

function quoteUrl(url: string): string {
  return JSON.stringify(url.length > 80 ? `${url.slice(0, 77)}…` : url);
}
