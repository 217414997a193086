import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const fakeMarkup: Rule = textRule({
  code: 'text/fake-markup',
  summary: 'Texts for models have no markup that looks like a message of the client.',
});
