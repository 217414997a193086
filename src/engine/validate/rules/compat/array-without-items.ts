import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const arrayWithoutItems: Rule = compatibilityRule('compat/array-without-items');
