import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const instructionsLength: Rule = compatibilityRule('compat/instructions-length');
