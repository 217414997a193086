import { didYouMean } from '../../base/did-you-mean.js';
import type { DocumentPath } from '../../base/files/document-path.js';
import { isRecord } from '../../base/value-checks.js';
import { capabilities, isKnownCapability } from '../../runtime/capabilities.js';
import { definitionLabel, locate } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

export const unknownCapability: Rule = defineRule({
  code: 'unknown-capability',
  severity: 'warning',
  summary: 'An item requires only client capabilities that MCP defines.',
  *check({ items }) {
    for (const { ref, definition } of items) {
      if (!definition) continue;
      for (const { name, path } of requiredOfClients(definition.value.requires)) {
        if (isKnownCapability(name)) continue;
        yield {
          location: locate(definition, path),
          item: ref,
          facts: { what: definitionLabel(definition), name },
        };
      }
    }
  },
  message({ what, name }) {
    const meant = didYouMean(name, capabilities);
    const hint = meant ? `Did you mean "${meant}"?` : `Known: ${capabilities.join(', ')}.`;
    return `${what} requires "${name}", which is not a capability of MCP, so no client that follows MCP can use it. ${hint}`;
  },
});

function* requiredOfClients(requires: unknown): Iterable<{ name: string; path: DocumentPath }> {
  const [held, path] = isRecord(requires)
    ? [requires.client, ['requires', 'client']]
    : [requires, ['requires']];
  if (typeof held === 'string') yield { name: held, path };
  for (const [index, name] of (Array.isArray(held) ? held : []).entries()) {
    if (typeof name === 'string') yield { name, path: [...path, index] };
  }
}
