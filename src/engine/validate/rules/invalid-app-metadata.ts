import { didYouMean } from '../../base/did-you-mean.js';
import type { DocumentPath } from '../../base/files/document-path.js';
import { isRecord } from '../../base/value-checks.js';
import { isSerious } from '../../extension/describe-fault.js';
import type { Definition } from '../../extension/extension.js';
import { originFault } from '../../extension/origins.js';
import { definitionLabel, locate } from '../../runtime/read-definition.js';
import { faultsOfKind } from '../facts/item-fault.js';
import { defineRule, type Rule } from './rule.js';

export const invalidAppMetadata: Rule = defineRule({
  code: 'invalid-app-metadata',
  severity: 'error',
  summary: "An app's metadata has only keys that hosts know, and its policy names origins.",
  *check({ items }) {
    yield* faultsOfKind('apps', items);
    for (const { kind, ref, error, definition, faults, strayKeys = [] } of items) {
      if (kind !== 'apps') continue;
      if (error?.code === 'invalid-app-metadata')
        yield { location: error.location, item: ref, facts: error.message };
      if (!definition) continue;
      const what = definitionLabel(definition);
      for (const fault of faults) {
        if (isSerious(fault)) continue;
        const location = { ...locate(definition, fault.path), key: true };
        yield { location, item: ref, facts: unknownKey(what, fault.path, fault.known ?? []) };
      }
      for (const key of strayKeys) {
        const location = { file: definition.file.file, path: [key], key: true };
        const facts = `${metadataLabel(what)} has a key "${key}" beside "ui". Move it into "ui", or write all keys without "ui".`;
        yield { location, item: ref, facts };
      }
      for (const { path, entry } of listOrigins(definition)) {
        const fault = originFault(entry);
        if (fault === undefined) continue;
        const facts = `${what} has an unusable "${path.join('.')}": ${JSON.stringify(entry)} is not an origin. ${fault}`;
        yield { location: locate(definition, path), item: ref, facts };
      }
    }
  },
  message: (reason) => reason,
});

function unknownKey(what: string, path: DocumentPath, known: readonly string[]): string {
  const meant = didYouMean(String(path.at(-1)), known);
  const hint = meant ? `Did you mean "${meant}"?` : `Known keys: ${known.join(', ')}.`;
  return `${metadataLabel(what)} has an unknown key "${path.join('.')}". ${hint}`;
}

function metadataLabel(what: string): string {
  return `The metadata of ${what.charAt(0).toLowerCase()}${what.slice(1)}`;
}

/** Every entry of the lists of a policy. */
function* listOrigins({ value }: Definition): Iterable<{ path: DocumentPath; entry: string }> {
  for (const [list, entries] of Object.entries(isRecord(value.csp) ? value.csp : {})) {
    for (const [index, entry] of (Array.isArray(entries) ? entries : []).entries()) {
      if (typeof entry === 'string') yield { path: ['csp', list, index], entry };
    }
  }
}
