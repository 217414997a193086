import { defineRule, type Rule } from './rule.js';

export const definitionFailed: Rule = defineRule({
  code: 'definition-failed',
  severity: 'error',
  summary:
    'Definition modules, and modules that definitions name, load without throwing, hanging or exiting.',
  *check({ items, modules }) {
    const otherFormat = new Set(modules.filter(({ isOtherFormat }) => isOtherFormat).map(({ file }) => file));
    for (const { error, repeatsError, isUnchecked, ref, callables } of items) {
      if (
        error?.code === 'definition-failed' &&
        !repeatsError &&
        !isUnchecked &&
        !otherFormat.has(error.location.file)
      ) {
        yield { location: error.location, item: ref, facts: `${error.message}.` };
      }
      for (const { fault, file, label, location } of callables) {
        if (fault?.kind !== 'failed' || (file !== undefined && otherFormat.has(file))) continue;
        yield { location, item: ref, facts: `"${label}" of ${ref.kind} "${ref.name}" ${fault.reason}.` };
      }
    }
  },
  message: (reason) => reason.replace(/([.!?])\.$/, '$1'),
});
