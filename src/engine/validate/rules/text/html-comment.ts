import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const htmlComment: Rule = textRule({
  code: 'text/html-comment',
  summary: 'Texts for models have no HTML comments.',
});
