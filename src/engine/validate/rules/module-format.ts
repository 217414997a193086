import { defineRule, type Rule } from './rule.js';

export const moduleFormat: Rule = defineRule({
  code: 'module-format',
  severity: 'error',
  summary: 'A module is written for the module system that Node reads it with.',
  *check({ modules }) {
    for (const { file, format, isOtherFormat, position } of modules) {
      if (!isOtherFormat) continue;
      yield { location: { file, ...(position && { position }) }, facts: { file, format } };
    }
  },
  message({ file, format }) {
    if (format === 'module') {
      return `${file} is written as CommonJS, but Node reads it as an ECMAScript module. Export with "export", or name it ${replaceExtension(file, '.cjs')}.`;
    }
    const orType = file.endsWith('.js') ? ', or set "type": "module" in package.json' : '';
    return `${file} is written as an ECMAScript module, but Node reads it as CommonJS. Name it ${replaceExtension(file, '.mjs')}${orType}.`;
  },
});

function replaceExtension(file: string, ending: string): string {
  return file.replace(/\.\w+$/, ending);
}
