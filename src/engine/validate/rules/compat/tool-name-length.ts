import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const toolNameLength: Rule = compatibilityRule('compat/tool-name-length');
