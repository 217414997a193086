import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const imageContent: Rule = compatibilityRule('compat/image-content');
