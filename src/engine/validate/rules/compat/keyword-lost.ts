import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const keywordLost: Rule = compatibilityRule('compat/keyword-lost');
