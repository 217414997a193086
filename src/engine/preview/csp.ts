import { originFault } from '../extension/origins.js';
import type { RefusedDomain } from './page-messages.js';

/** The domains that an app declares. @see MCP Apps 2026-01-26, "UI Resource Format" */
export interface AppCsp {
  readonly connectDomains?: readonly string[];
  readonly resourceDomains?: readonly string[];
  readonly frameDomains?: readonly string[];
  readonly baseUriDomains?: readonly string[];
}

type DomainKey = keyof AppCsp;

interface Directive {
  readonly name: string;
  /** Sources that are always allowed. */
  readonly always: readonly string[];
  /** The declared domains that are added. */
  readonly declared?: DomainKey;
  /** The source if there is no other. */
  readonly otherwise: string;
}

/**
 * The default of the specification, with the directives that declared domains go to. No looser than hosts
 * require.
 */
const directives: readonly Directive[] = [
  { name: 'default-src', always: [], otherwise: "'none'" },
  {
    name: 'script-src',
    always: ["'self'", "'unsafe-inline'"],
    declared: 'resourceDomains',
    otherwise: "'none'",
  },
  {
    name: 'style-src',
    always: ["'self'", "'unsafe-inline'"],
    declared: 'resourceDomains',
    otherwise: "'none'",
  },
  { name: 'img-src', always: ["'self'", 'data:'], declared: 'resourceDomains', otherwise: "'none'" },
  { name: 'media-src', always: ["'self'", 'data:'], declared: 'resourceDomains', otherwise: "'none'" },
  { name: 'font-src', always: [], declared: 'resourceDomains', otherwise: "'none'" },
  { name: 'connect-src', always: [], declared: 'connectDomains', otherwise: "'none'" },
  { name: 'frame-src', always: [], declared: 'frameDomains', otherwise: "'none'" },
  { name: 'object-src', always: [], otherwise: "'none'" },
  { name: 'base-uri', always: [], declared: 'baseUriDomains', otherwise: "'self'" },
];

export interface ContentSecurityPolicy {
  /** The value of the header. */
  readonly policy: string;
  readonly refused: readonly RefusedDomain[];
}

/** The policy that a host enforces on an app: the strict default plus the domains that the app declares. */
export function contentSecurityPolicy(csp: AppCsp = {}): ContentSecurityPolicy {
  const keys: readonly DomainKey[] = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];
  const refused = keys.flatMap((key) =>
    readDomains(csp, key).flatMap((domain) => {
      const reason = domainFault(domain);
      return reason === undefined ? [] : [{ key, domain: String(domain), reason }];
    }),
  );
  const policy = directives.map(({ name, always, declared, otherwise }) => {
    const domains = declared
      ? readDomains(csp, declared).filter((one) => domainFault(one) === undefined)
      : [];
    return [name, ...(always.length + domains.length > 0 ? [...always, ...domains] : [otherwise])].join(' ');
  });
  return { policy: policy.join('; '), refused };
}

/** Metadata comes from a server, so it may be anything. */
function readDomains(csp: AppCsp, key: DomainKey): readonly unknown[] {
  const domains: unknown = csp[key];
  return Array.isArray(domains) ? domains : [];
}

function domainFault(domain: unknown): string | undefined {
  return typeof domain === 'string' ? originFault(domain) : 'An origin must be a string.';
}
