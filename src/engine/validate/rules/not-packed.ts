import { isPublished } from '../facts/packaging.js';
import { defineRule, type Rule } from './rule.js';

export const notPacked: Rule = defineRule({
  code: 'not-packed',
  severity: 'error',
  summary: 'Every file that the extension needs is in the package that npm publishes.',
  *check({ packaging }) {
    if (!isPublished(packaging)) return;
    const { hasFilesList, unpacked } = packaging;
    for (const { file, what, location, item } of unpacked) {
      const at = hasFilesList ? { file: 'package.json', path: ['files'] } : location;
      yield { location: at, ...(item && { item }), facts: { file, what, hasFilesList } };
    }
  },
  message: ({ file, what, hasFilesList }) =>
    `${what}, ${file}, is not in the package that npm would publish. ${hasFilesList ? 'Add it, or its folder, to "files" in package.json.' : 'An ignore file leaves it out; list what is to be shipped as "files" in package.json.'}`,
});
