import type { Rule } from '../rule.js';
import { textRule } from './text-rule.js';

export const secretPaths: Rule = textRule({
  code: 'text/secret-paths',
  summary: 'Texts for models name no files with secrets.',
});
