import { didYouMean } from '../../base/did-you-mean.js';
import { isRecord } from '../../base/value-checks.js';
import { manifestKeyNames } from '../../extension/key-spellings.js';
import { locateInManifest } from '../../extension/manifest.js';
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
      };
    }
    for (const code of isRecord(value.rules) ? Object.keys(value.rules) : []) {
      if (codes.includes(code)) continue;
      const location = { ...locateInManifest(manifest, ['rules', code]), key: true };
      yield {
        location,
        facts: { what: `The manifest sets an unknown rule "${code}".`, key: code, known: codes },
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
