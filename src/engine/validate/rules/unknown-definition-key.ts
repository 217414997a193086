import { didYouMean } from '../../base/did-you-mean.js';
import type { DocumentPath } from '../../base/files/document-path.js';
import { evaluatorKeys } from '../../extension/key-spellings.js';
import { definitionLabel, locate } from '../../runtime/read-definition.js';
import { defineRule, type Rule } from './rule.js';

export const unknownDefinitionKey: Rule = defineRule({
  code: 'unknown-definition-key',
  severity: 'warning',
  summary: 'A definition has only known keys.',
  *check({ items, toolkits }) {
    for (const { what, ref, toolkit, faults } of toolkits) {
      for (const { path, problem, known = [] } of faults) {
        if (problem !== 'unknown') continue;
        const location = { file: toolkit.file.file, path: [...toolkit.at, ...path], key: true };
        yield { location, ...(ref && { item: ref }), facts: { what, path, known } };
      }
    }
    for (const { kind, ref, definition, faults } of items) {
      // `invalid-app-metadata` reports the keys of an app.
      if (!definition || kind === 'apps') continue;
      for (const { path, problem, known = [] } of faults) {
        if (problem !== 'unknown' || isEvaluator(ref.kind, path)) continue;
        const location = { ...locate(definition, path), key: true };
        yield { location, item: ref, facts: { what: definitionLabel(definition), path, known } };
      }
    }
  },
  message({ what, path, known }) {
    const meant = didYouMean(String(path.at(-1)), known);
    const hint = meant
      ? `Did you mean "${meant}"?`
      : `Known keys: ${known.join(', ')}. Keys that begin with "x-" are free.`;
    return `${what} has an unknown key "${path.join('.')}". ${hint}`;
  },
});

/** True for the model settings of a server: `invalid-server` reports them. */
function isEvaluator(kind: string, path: DocumentPath): boolean {
  return kind === 'server' && evaluatorKeys.includes(String(path[0]));
}
