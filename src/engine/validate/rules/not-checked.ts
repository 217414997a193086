import { defineRule, type Rule } from './rule.js';

export const notChecked: Rule = defineRule({
  code: 'not-checked',
  severity: 'info',
  summary: 'Each definition was checked. With --no-load, only the syntax of code is checked.',
  *check({ items, modules }) {
    const failed = new Set(modules.filter(({ isOtherFormat }) => isOtherFormat).map(({ file }) => file));
    for (const { error, isUnchecked, repeatsError, ref } of items) {
      if (!error || !isUnchecked || repeatsError || failed.has(error.location.file)) continue;
      yield { location: error.location, item: ref, facts: error.location.file };
    }
  },
  message: (file) =>
    `The definition in ${file} was not checked, because no code was run. Its syntax is valid.`,
});
