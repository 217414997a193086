import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const nullInSchema: Rule = compatibilityRule('compat/null-in-schema');
