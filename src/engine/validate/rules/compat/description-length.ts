import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const descriptionLength: Rule = compatibilityRule('compat/description-length');
