import type { Rule } from '../rule.js';
import { compatibilityRule } from './compatibility-rule.js';

export const listChangedNeeded: Rule = compatibilityRule('compat/list-changed-needed');
