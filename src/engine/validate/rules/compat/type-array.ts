import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const typeArray: Rule = compatibilityRule('compat/type-array');
