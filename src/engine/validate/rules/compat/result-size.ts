import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const resultSize: Rule = compatibilityRule('compat/result-size');
