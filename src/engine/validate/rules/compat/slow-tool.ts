import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const slowTool: Rule = compatibilityRule('compat/slow-tool');
