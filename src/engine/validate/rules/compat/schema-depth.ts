import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const schemaDepth: Rule = compatibilityRule('compat/schema-depth');
