import { defineRule, type Rule } from './rule.js';

export const missingDefinition: Rule = defineRule({
  code: 'missing-definition',
  severity: 'error',
  summary: 'Each declared item has a definition.',
  *check({ root, items, derivation }) {
    if (root?.fault) return;
    for (const { kind, name, error, ref } of items) {
      if (error?.code !== 'missing-definition') continue;
      const module = kind === 'tools' ? derivation?.marked?.get(name) : undefined;
      const facts =
        module === undefined
          ? error.message
          : `Tool "${name}" has no definition. A function of ${module} is marked "@mcp" and has that name, but there is no ${derivation!.file}. Run "agenttools derive".`;
      yield { location: error.location, item: ref, facts };
    }
  },
  message: (reason) => reason,
});
