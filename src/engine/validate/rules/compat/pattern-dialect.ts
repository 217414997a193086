import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const patternDialect: Rule = compatibilityRule('compat/pattern-dialect');
