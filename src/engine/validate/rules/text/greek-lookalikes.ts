import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const greekLookalikes: Rule = textRule({
  code: 'text/greek-lookalikes',
  summary: 'No word of a text for models mixes Latin letters with Greek ones of the same look.',
});
