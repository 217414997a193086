import { didYouMean } from '../../base/did-you-mean.js';
import type { DocumentPath } from '../../base/files/document-path.js';
import type { Fix, Location } from '../../extension/diagnostics.js';
import { evaluatorKeys } from '../../extension/key-spellings.js';
import { definitionLabel, locate } from '../../runtime/read-definition.js';
import { freeMeaning, renameFix } from '../rule-fixes.js';
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
        const fix = renameKey(location, path, known, toolkit.options);
        yield { location, ...(ref && { item: ref }), facts: { what, path, known }, fix };
      }
    }
    for (const { kind, ref, definition, faults } of items) {
      // `invalid-app-metadata` reports the keys of an app.
      if (!definition || kind === 'apps') continue;
      for (const { path, problem, known = [] } of faults) {
        if (problem !== 'unknown' || isEvaluator(ref.kind, path)) continue;
        const location = { ...locate(definition, path), key: true };
        const facts = { what: definitionLabel(definition), path, known };
        yield { location, item: ref, facts, fix: renameKey(location, path, known, definition.value) };
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

function renameKey(
  location: Location,
  path: DocumentPath,
  known: readonly string[],
  value: unknown,
): Fix | undefined {
  const key = String(path.at(-1));
  const holder = path.slice(0, -1).reduce<unknown>((held, step) => (held as never)?.[step], value);
  return renameFix(location, key, freeMeaning(key, known, holder));
}

/** True for the model settings of a server: `invalid-server` reports them. */
function isEvaluator(kind: string, path: DocumentPath): boolean {
  return kind === 'server' && evaluatorKeys.includes(String(path[0]));
}
