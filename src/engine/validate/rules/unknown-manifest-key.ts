import { didYouMean, onlyMeaning } from '../../base/did-you-mean.js';
import { manifestKeyNames } from '../../extension/key-spellings.js';
import { locateInManifest } from '../../extension/manifest.js';
import { freeMeaning, renameFix, valueFix } from '../rule-fixes.js';
import { readRuleSettings } from '../rule-settings.js';
import { defineRule, type Rule } from './rule.js';

export const unknownManifestKey: Rule = defineRule({
  code: 'unknown-manifest-key',
  severity: 'error',
  summary: 'The manifest has only known keys, and its "rules" only known codes.',
  *check({ manifest, codes }) {
    if (!manifest) return;
    const { value } = manifest.translation;
    for (const key of Object.keys(value)) {
      if (manifestKeyNames.includes(key) || key.startsWith('x-')) continue;
      const location = { ...locateInManifest(manifest, [key]), key: true };
      yield {
        location,
        facts: { what: `The manifest has an unknown key "${key}".`, key, known: manifestKeyNames },
        fix: renameFix(location, key, freeMeaning(key, manifestKeyNames, value)),
      };
    }
    for (const { code, path } of readRuleSettings(value.rules).codes) {
      if (codes.includes(code)) continue;
      const isValue = path.at(-1) === 'code';
      const location = { ...locateInManifest(manifest, ['rules', ...path]), key: !isValue };
      const meant = onlyMeaning(code, codes);
      yield {
        location,
        facts: { what: `The manifest sets an unknown rule "${code}".`, key: code, known: codes },
        fix: isValue ? valueFix(location, code, meant) : renameFix(location, code, meant),
      };
    }
  },
  message({ what, key, known }) {
    const meant = didYouMean(key, known);
    if (meant) return `${what} Did you mean "${meant}"?`;
    return known.length > 20
      ? `${what} List them with: agenttools explain`
      : `${what} Known keys: ${known.join(', ')}.`;
  },
});
