import type { Location } from '../../extension/diagnostics.js';
import type { Manifest } from '../../extension/manifest.js';
import { locateInManifest } from '../../extension/manifest.js';
import { isRecord } from '../../extension/shapes.js';
import { defineRule, type Rule } from './rule.js';

export const malformedManifest: Rule = defineRule({
  code: 'malformed-manifest',
  severity: 'error',
  summary: 'The manifest is well-formed JSON, and its "root" and "rules" have the right form.',
  *check({ unreadable, manifest }) {
    if (unreadable?.code === 'malformed-manifest') {
      yield { location: unreadable.location, facts: unreadable.message };
    }
    for (const { location, message } of manifest ? faultsIn(manifest) : [])
      yield { location, facts: message };
  },
  message: (reason) => reason,
});

const levels = new Set<unknown>(['off', 'info', 'warn', 'warning', 'error']);

function* faultsIn(manifest: Manifest): Iterable<{ location: Location; message: string }> {
  const { root, rules } = manifest.translation.value;
  if (root !== undefined && (typeof root !== 'string' || root === '')) {
    const message = 'The "root" of the manifest must be a folder of the package, such as "agenttools".';
    yield { location: locateInManifest(manifest, ['root']), message };
  }
  if (rules !== undefined && !isRecord(rules)) {
    const message = 'The "rules" of the manifest must be an object such as { "missing-keyword": "off" }.';
    yield { location: locateInManifest(manifest, ['rules']), message };
  }
  for (const [code, level] of isRecord(rules) ? Object.entries(rules) : []) {
    if (levels.has(level)) continue;
    const message = `The rule "${code}" has an unusable level. Expected "off", "info", "warn" or "error".`;
    yield { location: locateInManifest(manifest, ['rules', code]), message };
  }
}
