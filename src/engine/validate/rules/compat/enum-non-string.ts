import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const enumNonString: Rule = compatibilityRule('compat/enum-non-string');
