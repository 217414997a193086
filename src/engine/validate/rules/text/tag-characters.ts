import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const tagCharacters: Rule = textRule({
  code: 'text/tag-characters',
  summary: 'Texts for models have no invisible tag characters.',
});
