import { kinds } from '../../extension/item-kinds.js';
import { listFault, locateInManifest } from '../../extension/manifest.js';
import { defineRule, type Rule } from './rule.js';

export const invalidDeclarationList: Rule = defineRule({
  code: 'invalid-declaration-list',
  severity: 'error',
  summary: 'Each kind of item is declared in a list.',
  *check({ manifest }) {
    if (!manifest) return;
    for (const kind of kinds) {
      const list = manifest.translation.value[kind];
      if (list === undefined || Array.isArray(list)) continue;
      yield { location: locateInManifest(manifest, [kind]), facts: kind };
    }
  },
  message: listFault,
});
