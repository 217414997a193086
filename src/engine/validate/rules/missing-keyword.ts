import { isPublished } from '../facts/packaging.js';
import { packageListFix } from '../rule-fixes.js';
import { defineRule, type Rule } from './rule.js';

/** The keyword that searches of the npm registry use. */
const requiredKeyword = 'agenttools-extension';

export const missingKeyword: Rule = defineRule({
  code: 'missing-keyword',
  severity: 'warning',
  summary: `A package that is published has the keyword "${requiredKeyword}", by which it is found.`,
  *check({ packaging, manifest }) {
    if (!manifest || !isPublished(packaging) || packaging.keywords.includes(requiredKeyword)) return;
    yield {
      location: { file: 'package.json', path: ['keywords'] },
      facts: undefined,
      fix: packageListFix(manifest.packageJson.value, 'keywords', requiredKeyword),
    };
  },
  message: () =>
    `The package has no keyword "${requiredKeyword}", so searches do not find it. Add it to "keywords" in package.json.`,
});
