import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const requiredUnknown: Rule = compatibilityRule('compat/required-unknown');
