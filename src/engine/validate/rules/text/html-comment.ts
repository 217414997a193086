import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const htmlComment: Rule = textRule({
  code: 'text/html-comment',
  severity: 'info',
  summary: 'Texts for models have no HTML comments.',
});
