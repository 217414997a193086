// Turns the module of the start path into a script, because V8 keeps compiled code of scripts only.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { parse } from 'acorn';
import { build } from 'esbuild';
import { shortenNames } from './shorten-names.mjs';

/**
 * Gives the files that replace the module of the start path: `start-script.js` with its code, `start.cjs`, which loads
 * the script with compiled code from the cache folder, and the module itself, which exports the same names as before.
 * @throws Error if the module imports other modules than those of Node, or assigns an exported variable anew
 */
export async function startScript({ root, module, options }) {
  const { script: readable, names } = scriptOf(module.text);
  const script = await shortenNames(readable);
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 16);
  const { outputFiles } = await build({
    ...options,
    banner: {},
    entryPoints: { start: path.join(root, 'src/cli/commands/start/start-script.ts') },
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { SCRIPT_HASH: JSON.stringify(hash) },
    write: false,
  });
  const facade = [
    "import{createRequire}from'node:module';",
    `export const{${names.join(',')}}=createRequire(import.meta.url)('./start.cjs').script;\n`,
  ];
  return [
    { path: path.join(path.dirname(module.path), 'start-script.js'), text: script },
    ...outputFiles,
    { path: module.path, text: facade.join('') },
  ];
}

/**
 * The script is an expression: a function of `__require`, `__url` and `__import` that gives the exports. It reads what
 * it imports at once, as a module does, so that later changes of Node's modules have no effect on it.
 */
function scriptOf(text) {
  const program = parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  const edits = [];
  const requires = [];
  const exported = new Map();
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') requires.push(requireOf(node));
    else if (node.type !== 'ExportNamedDeclaration') continue;
    for (const { local, exported: name } of node.specifiers.filter(({ exported }) => exported)) {
      exported.set(local.name, name.name);
    }
    edits.push({ ...node, by: '' });
  }
  visit(program, (node) => {
    const assigned = node.type === 'AssignmentExpression' ? node.left : node.argument;
    if (/^(Assignment|Update)Expression$/.test(node.type) && exported.has(assigned.name)) {
      throw new Error(
        `The start path exports "${assigned.name}" and assigns it anew. Export a function instead.`,
      );
    }
    // `import()` in a script needs an option that makes Node 20 reject compiled code.
    if (node.type === 'ImportExpression') edits.push({ start: node.start, end: node.start, by: '__' });
    if (node.type === 'MetaProperty' && node.meta.name === 'import') edits.push({ ...node, by: '__meta' });
  });
  edits.sort((one, other) => other.start - one.start);
  const body = edits.reduce((rest, { start, end, by }) => rest.slice(0, start) + by + rest.slice(end), text);
  const members = [...exported].map(([local, name]) => `${name}:${local}`);
  return {
    script: `(function(__require,__meta,__import){"use strict";${requires.join('')}${body}\nreturn{${members.join(',')}}})`,
    names: [...exported.values()],
  };
}

function requireOf({ source, specifiers }) {
  if (!source.value.startsWith('node:')) {
    throw new Error(`The start path imports "${source.value}", which is not in its file.`);
  }
  return specifiers
    .map(({ type, local, imported }) =>
      type === 'ImportSpecifier' ? `{${imported.name}:${local.name}}` : local.name,
    )
    .map((pattern) => `const ${pattern}=__require(${JSON.stringify(source.value)});`)
    .join('');
}

function visit(node, look) {
  if (node === null || typeof node !== 'object') return;
  if (typeof node.type === 'string') look(node);
  for (const value of Object.values(node)) if (typeof value === 'object') visit(value, look);
}
