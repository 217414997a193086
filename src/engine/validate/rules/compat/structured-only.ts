import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const structuredOnly: Rule = compatibilityRule('compat/structured-only');
