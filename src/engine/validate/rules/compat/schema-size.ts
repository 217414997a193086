import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const schemaSize: Rule = compatibilityRule('compat/schema-size');
