import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const rootUnion: Rule = compatibilityRule('compat/root-union');
