import { didYouMean } from '../base/did-you-mean.js';
import { AgentToolsError } from '../base/errors.js';
import { findProperty } from '../extension/key-spellings.js';
import type { Facts, InstalledFacts, PublishedFacts } from './facts.js';

/**
 * Returns one property of the facts, named in any case or in the spelling of a related system.
 * @throws AgentToolsError with the known properties, or if the property requires the installed package.
 */
export function propertyOf(facts: Facts, property: string): unknown {
  if (Object.hasOwn(facts, property)) return facts[property as keyof Facts];
  const found = findProperty(property, Object.keys(facts));
  if (found !== undefined) return facts[found as keyof Facts];
  if (isPublished(facts) && findProperty(property, definitionProperties[facts.kind]) !== undefined) {
    const name = 'package' in facts ? facts.package : facts.name;
    const wayOut = `and ${name} is not installed. Add it with: agenttools add ${name}`;
    throw new AgentToolsError('not-installed', `"${property}" is in the files of the package, ${wayOut}`);
  }
  const known = Object.keys(facts);
  const meant = didYouMean(property, known);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  const message = `A ${facts.kind} has no property "${property}".${hint} It has: ${known.join(', ')}.`;
  throw new AgentToolsError('not-found', message);
}

/** True if only a registry has the package. */
export function isPublished(facts: Facts): facts is PublishedFacts {
  return 'installed' in facts;
}

/** Properties that require the installed package. */
const definitionProperties = {
  server: [
    'title',
    'location',
    'directory',
    'transport',
    'sandbox',
    'upstreams',
    'resources',
    'apps',
    'instructions',
    'leftOut',
    'installations',
  ],
  package: ['location', 'directory'],
  tool: [
    'title',
    'inputSchema',
    'outputSchema',
    'hidden',
    'file',
    'category',
    'annotations',
    'options',
    'requires',
    'timeoutMs',
    'handler',
    'ui',
    'upstream',
  ],
  prompt: ['title', 'hidden', 'file', 'arguments', 'content', 'messages'],
  resource: ['title', 'hidden', 'file', 'uri', 'uriTemplate', 'mimeType', 'subscribable'],
  'existing server': [],
  app: ['title', 'file', 'uri', 'csp', 'permissions', 'domain', 'prefersBorder'],
} as const satisfies {
  [K in Facts['kind']]: readonly (keyof Extract<InstalledFacts, { readonly kind: K }>)[];
};
