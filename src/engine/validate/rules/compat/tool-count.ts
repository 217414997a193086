import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const toolCount: Rule = compatibilityRule('compat/tool-count');
