import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const toolListRejected: Rule = compatibilityRule('compat/tool-list-rejected');
