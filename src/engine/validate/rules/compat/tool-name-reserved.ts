import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const toolNameReserved: Rule = compatibilityRule('compat/tool-name-reserved');
