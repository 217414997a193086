import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const appOnlyExposed: Rule = compatibilityRule('compat/app-only-exposed');
