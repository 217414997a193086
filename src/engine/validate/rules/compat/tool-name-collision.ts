import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const toolNameCollision: Rule = compatibilityRule('compat/tool-name-collision');
