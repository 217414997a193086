import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const imageLink: Rule = textRule({
  code: 'text/image-link',
  summary: 'Texts for models have no images with data in their addresses.',
});
