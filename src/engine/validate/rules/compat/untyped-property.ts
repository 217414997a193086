import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const untypedProperty: Rule = compatibilityRule('compat/untyped-property');
