import { type Kind, kinds, singular } from '../../extension/kinds.js';
import { locateInManifest, readDeclaration } from '../../extension/manifest.js';
import { isItemName } from '../../extension/names.js';
import { isRecord } from '../../extension/shapes.js';
import { translate } from '../../extension/spellings.js';
import { defineRule, type Rule } from './rule.js';

export const invalidDeclaration: Rule = defineRule({
  code: 'invalid-declaration',
  severity: 'error',
  summary:
    'An item is declared as a name, as [name, description], or as an object with a name; a toolkit by its own.',
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

interface Fault {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

const forms = 'Expected "name", ["name", "description"] or { "name": "…", … }.';
const names = 'A name is 1 to 128 of A-Z a-z 0-9 _ . - and neither "." nor "..".';

function declarationFault(kind: Kind, entry: unknown): Fault | undefined {
  if (typeof entry === 'string')
    return isItemName(entry) ? undefined : { path: [], reason: `${quoted(entry)} is no name. ${names}` };
  if (Array.isArray(entry)) return pairFault(entry);
  if (!isRecord(entry)) return { path: [], reason: `it is ${wordFor(entry)}. ${forms}` };
  const { name, description, toolkit, tools, module } = translate(entry, 'declaration').value;
  if (kind === 'tools' && toolkit !== undefined) return toolkitFault({ toolkit, tools, name, module });
  if (name === undefined) return { path: [], reason: `it has no "name". ${forms}` };
  if (!isItemName(name)) return { path: ['name'], reason: `${quoted(name)} is no name. ${names}` };
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
}: Readonly<Record<'toolkit' | 'tools' | 'name' | 'module', unknown>>): Fault | undefined {
  if (!isItemName(toolkit)) return { path: ['toolkit'], reason: `${quoted(toolkit)} is no name. ${names}` };
  if (name !== undefined) {
    return {
      path: ['name'],
      reason: 'it has both a "name" and a "toolkit". A toolkit is named like its file.',
    };
  }
  if (module !== undefined && typeof module !== 'string') {
    const reason = `its "module" is ${wordFor(module)}. Expected a file of the package, such as "./dist/files.js".`;
    return { path: ['module'], reason };
  }
  if (!Array.isArray(tools)) {
    return { path: ['tools'], reason: `its "tools" are ${wordFor(tools)}. Expected a list of names.` };
  }
  for (const [index, tool] of tools.entries()) {
    const fault = declarationFault('tools', tool);
    const isNested = isRecord(tool) && tool.toolkit !== undefined;
    if (isNested) return { path: ['tools', index], reason: 'it has a toolkit among its tools.' };
    if (fault)
      return {
        path: ['tools', index, ...fault.path],
        reason: `of its tools, one has a fault: ${fault.reason}`,
      };
  }
  return undefined;
}

function pairFault(entry: readonly unknown[]): Fault | undefined {
  const [name, description] = entry;
  if (entry.length !== 2) return { path: [], reason: `it is a list of ${entry.length}. ${forms}` };
  if (!isItemName(name)) return { path: [0], reason: `${quoted(name)} is no name. ${names}` };
  if (typeof description !== 'string') return { path: [1], reason: 'its description is not a string.' };
  return undefined;
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 200)) : wordFor(value);
}

function wordFor(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}
