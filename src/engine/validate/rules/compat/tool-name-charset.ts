import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const toolNameCharset: Rule = compatibilityRule('compat/tool-name-charset');
