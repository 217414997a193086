import { describeDeprecated } from '../../extension/key-spellings.js';
import { defineRule, type Rule } from './rule.js';

export const deprecatedPromptData: Rule = defineRule({
  code: 'deprecated-prompt-data',
  severity: 'error',
  summary: 'Prompts are named under "prompts", not under the outdated "promptData".',
  *check({ manifest, items }) {
    for (const path of manifest?.translation.deprecated ?? []) {
      const { document, base } = manifest!;
      yield {
        location: { file: document.file, path: [...base, ...path], key: true },
        facts: { what: 'The manifest', path },
      };
    }
    for (const { ref, definition } of items) {
      if (!definition) continue;
      const { file, at, translation } = definition;
      for (const path of translation.deprecated) {
        const location = { file: file.file, path: [...at, ...path], key: true };
        yield { location, item: ref, facts: { what: `The ${ref.kind} "${ref.name}"`, path } };
      }
    }
  },
  message: ({ what, path }) => describeDeprecated(what, path),
});
