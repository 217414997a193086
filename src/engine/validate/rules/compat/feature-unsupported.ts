import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const featureUnsupported: Rule = compatibilityRule('compat/feature-unsupported');
