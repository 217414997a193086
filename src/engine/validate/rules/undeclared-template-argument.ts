import { didYouMean } from '../../base/did-you-mean.js';
import { isRecord } from '../../base/value-checks.js';
import { isTemplate } from '../../extension/check-definition.js';
import type { Definition } from '../../extension/extension.js';
import { locate } from '../../runtime/read-definition.js';
import { templateSlots } from '../../runtime/text-template.js';
import { defineRule, type Rule } from './rule.js';

export const undeclaredTemplateArgument: Rule = defineRule({
  code: 'undeclared-template-argument',
  severity: 'error',
  summary: 'A template of a prompt has slots only for arguments that the prompt declares.',
  *check({ items }) {
    for (const { kind, ref, definition } of items) {
      if (kind !== 'prompts' || !definition) continue;
      const declared = promptArgumentNames(definition);
      for (const { template, path } of templatesIn(definition)) {
        for (const slot of templateSlots(template)) {
          if (declared.includes(slot)) continue;
          yield {
            location: locate(definition, path),
            item: ref,
            facts: { prompt: ref.name, slot, declared },
          };
        }
      }
    }
  },
  message({ prompt, slot, declared }) {
    const meant = didYouMean(slot, declared);
    const hint = meant ? `Did you mean "${meant}"?` : `Declared: ${declared.join(', ') || 'none'}.`;
    return `The template of prompt "${prompt}" has a slot {{${slot}}}, but no such argument is declared. ${hint}`;
  },
});

function promptArgumentNames({ value }: Definition): string[] {
  const list = Array.isArray(value.arguments) ? value.arguments : [];
  return list.flatMap((entry) => (isRecord(entry) && typeof entry.name === 'string' ? [entry.name] : []));
}

function* templatesIn({
  value,
}: Definition): Iterable<{ template: string; path: readonly (string | number)[] }> {
  if (isTemplate(value.content)) yield { template: value.content.template, path: ['content', 'template'] };
  for (const [index, message] of (Array.isArray(value.messages) ? value.messages : []).entries()) {
    if (!isRecord(message) || !isTemplate(message.content)) continue;
    yield { template: message.content.template, path: ['messages', index, 'content', 'template'] };
  }
}
