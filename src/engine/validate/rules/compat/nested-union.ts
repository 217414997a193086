import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const nestedUnion: Rule = compatibilityRule('compat/nested-union');
