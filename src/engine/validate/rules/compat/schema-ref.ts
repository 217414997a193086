import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const schemaRef: Rule = compatibilityRule('compat/schema-ref');
