import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const mixedScripts: Rule = textRule({
  code: 'text/mixed-scripts',
  summary: 'No word of a text for models mixes Latin letters with Cyrillic, Armenian or Cherokee ones.',
});
