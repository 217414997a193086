import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const schemaTuple: Rule = compatibilityRule('compat/schema-tuple');
