import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const paramNameCharset: Rule = compatibilityRule('compat/param-name-charset');
