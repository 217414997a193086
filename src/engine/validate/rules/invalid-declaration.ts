import { isRecord } from '../../base/value-checks.js';
import { type Kind, kinds, singular } from '../../extension/item-kinds.js';
import { translate } from '../../extension/key-spellings.js';
import { locateInManifest, readDeclaration } from '../../extension/manifest.js';
import { isItemName } from '../../extension/names.js';
import { defineRule, type Rule } from './rule.js';

export const invalidDeclaration: Rule = defineRule({
  code: 'invalid-declaration',
  severity: 'error',
  summary:
    'An item is declared as a name, as [name, description], or as an object with a name; a toolkit as an object with "toolkit".',
  *check({ manifest }) {
    if (!manifest) return;
    for (const kind of kinds) {
      const list = manifest.translation.value[kind];
      if (!Array.isArray(list)) continue;
      for (const [index, entry] of list.entries()) {
        const fault = declarationFault(kind, entry);
        if (!fault) continue;
        const { path, reason } = fault;
        const location = locateInManifest(manifest, [kind, index, ...path]);
        yield { location, facts: { kind, number: index + 1, reason } };
      }
    }
  },
  message: ({ kind, number, reason }) =>
    `Entry ${number} of "${kind}" declares no ${singular[kind]}: ${reason}`,
});

interface DeclarationFault {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

const forms = 'Expected "name", ["name", "description"] or { "name": "…", … }.';
const nameRule = 'A name is 1 to 128 of A-Z a-z 0-9 _ . - and neither "." nor "..".';

function declarationFault(kind: Kind, entry: unknown): DeclarationFault | undefined {
  if (typeof entry === 'string')
    return isItemName(entry)
      ? undefined
      : { path: [], reason: `${quoteValue(entry)} is not a valid name. ${nameRule}` };
  if (Array.isArray(entry)) return pairFault(entry);
  if (!isRecord(entry)) return { path: [], reason: `it is ${describeRawValue(entry)}. ${forms}` };
  const { name, description, toolkit, tools, module } = translate(entry, 'declaration').value;
  if (kind === 'tools' && toolkit !== undefined) return toolkitFault({ toolkit, tools, name, module });
  if (name === undefined) return { path: [], reason: `it has no "name". ${forms}` };
  if (!isItemName(name))
    return { path: ['name'], reason: `${quoteValue(name)} is not a valid name. ${nameRule}` };
  if (description !== undefined && typeof description !== 'string') {
    return { path: ['description'], reason: 'its "description" is not a string.' };
  }
  return readDeclaration(kind, entry, []) ? undefined : { path: [], reason: forms };
}

function toolkitFault({
  toolkit,
  tools = [],
  name,
  module,
}: Readonly<Record<'toolkit' | 'tools' | 'name' | 'module', unknown>>): DeclarationFault | undefined {
  if (!isItemName(toolkit))
    return { path: ['toolkit'], reason: `${quoteValue(toolkit)} is not a valid name. ${nameRule}` };
  if (name !== undefined) {
    return {
      path: ['name'],
      reason: 'it has both a "name" and a "toolkit". A toolkit is named like its file.',
    };
  }
  if (module !== undefined && typeof module !== 'string') {
    const reason = `its "module" is ${describeRawValue(module)}. Expected a file of the package, such as "./dist/files.js".`;
    return { path: ['module'], reason };
  }
  if (!Array.isArray(tools)) {
    return {
      path: ['tools'],
      reason: `its "tools" are ${describeRawValue(tools)}. Expected a list of names.`,
    };
  }
  for (const [index, tool] of tools.entries()) {
    const fault = declarationFault('tools', tool);
    const isNested = isRecord(tool) && tool.toolkit !== undefined;
    if (isNested) return { path: ['tools', index], reason: 'it has a toolkit among its tools.' };
    if (fault)
      return {
        path: ['tools', index, ...fault.path],
        reason: `one of its tools has a fault: ${fault.reason}`,
      };
  }
  return undefined;
}

function pairFault(entry: readonly unknown[]): DeclarationFault | undefined {
  const [name, description] = entry;
  if (entry.length !== 2) return { path: [], reason: `it is a list of ${entry.length}. ${forms}` };
  if (!isItemName(name)) return { path: [0], reason: `${quoteValue(name)} is not a valid name. ${nameRule}` };
  if (typeof description !== 'string') return { path: [1], reason: 'its description is not a string.' };
  return undefined;
}

function quoteValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 200)) : describeRawValue(value);
}

function describeRawValue(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}
