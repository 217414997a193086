import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const tokenBudget: Rule = compatibilityRule('compat/token-budget');
