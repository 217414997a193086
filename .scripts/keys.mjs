// Writes the parts of src/ and docs/ that list keys of definitions, from the tables in src/engine/extension/keys/. With
// --check it only compares.
//
//   // #region keys: tool without upstream, requires handler      properties of a TypeScript type, up to #endregion
//   <!-- keys: tool.ui only app -->                               a table of a page, up to <!-- /keys -->
//
// The text after "keys:" is a table of `keyTables` (`tool`) or of a nested object (`tool.ui`), and a choice of its keys:
// `only a, b`, `without a, b` or `beyond <another table>`. `as <type>` replaces the type of a single key.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const extension = path.join(root, 'src/engine/extension');

const markers = {
  '.ts': /^( *)\/\/ #region keys: (.*)\n[\s\S]*?^\1\/\/ #endregion$/gm,
  '.md': /^()<!-- keys: (.*) -->\n[\s\S]*?^<!-- \/keys -->$/gm,
};
const renderers = { '.ts': renderType, '.md': renderTable };

/** The text of a file with its generated parts as the tables define them. */
export function updateKeys(file, text, source) {
  const { ext, name } = path.parse(file);
  return text.replace(markers[ext], (_, indent, marker) => {
    return renderers[ext]({ marker, ...select(marker, source.keyTables), indent, page: name, ...source });
  });
}

/** Shapes with the keys of each marker in a text. */
export function shapesIn(file, text, { keyTables }) {
  return [...text.matchAll(markers[path.extname(file)])].map(
    ([, , marker]) => select(marker, keyTables).shape,
  );
}

/** Files that can have generated parts, by paths relative to the repository. */
export function filesWithKeys() {
  return ['src/engine/runtime', 'docs'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true })
      .map((file) => path.join(folder, file))
      .filter((file) => markers[path.extname(file)]?.test(read(file)))
      .sort(),
  );
}

function read(file) {
  for (const pattern of Object.values(markers)) pattern.lastIndex = 0;
  return readFileSync(path.join(root, file), 'utf8');
}

function select(marker, tables) {
  const [, place, word, list = '', more = '', type] =
    /^([\w.]+)(?: (only|without|beyond) ([\w., ]+?))?(?:, requires ([\w, ]+?))?(?:, as (.+))?$/.exec(
      marker,
    ) ?? [];
  if (place === undefined) throw new Error(`Cannot read the marker "keys: ${marker}".`);
  const shape = findShape(place, tables, marker);
  const named = word === 'beyond' ? Object.keys(findShape(list, tables, marker)) : list.split(', ');
  const required = more === '' ? [] : more.split(', ');
  const expected = [...(word === 'only' || word === 'without' ? named : []), ...required];
  for (const key of expected) {
    if (!Object.hasOwn(shape, key))
      throw new Error(`The marker "keys: ${marker}" names the key "${key}", which "${place}" does not have.`);
  }
  const isChosen = (key) => word === undefined || named.includes(key) === (word === 'only');
  const chosen = Object.entries(shape).filter(([key]) => isChosen(key));
  if (type !== undefined && chosen.length !== 1)
    throw new Error(`The marker "keys: ${marker}" has a type for ${chosen.length} keys. Choose one.`);
  return { shape: Object.fromEntries(chosen), required, type };
}

function findShape(place, tables, marker) {
  const [table, ...keys] = place.split('.');
  const shape = keys.reduce((found, key) => found?.[key]?.shape ?? found?.[key]?.each, tables[table]);
  if (!shape) throw new Error(`The marker "keys: ${marker}" names "${place}", which is no table of keys.`);
  return shape;
}

function renderTable({ marker, shape, page }) {
  const rows = Object.entries(shape).map(([key, { description, required }]) => {
    const text = description.replaceAll(`(${page}.md#`, '(#').replaceAll('|', '\\|');
    return `| \`${key}\` | ${text}${required ? ' Required.' : ''} |`;
  });
  const table = ['| key | meaning |', '| --- | --- |', ...rows].join('\n');
  return `<!-- keys: ${marker} -->\n\n${table}\n\n<!-- /keys -->`;
}

function renderType({ marker, shape, required, type, indent, withoutLinks }) {
  const typed = Object.entries(shape).map(([key, row]) => [key, type ? { ...row, typescript: type } : row]);
  const lines = properties({ shape: Object.fromEntries(typed), required, indent, withoutLinks });
  return [`${indent}// #region keys: ${marker}`, ...lines, `${indent}// #endregion`].join('\n');
}

/** Lines of the properties of an object type. */
function properties({ shape, required = [], indent, withoutLinks }) {
  return Object.entries(shape).flatMap(([key, row]) => {
    const mark = row.required || required.includes(key) ? '' : '?';
    const type = typeOf(key, row, indent, withoutLinks);
    const property = type.startsWith('(') ? `${key}${mark}${type};` : `readonly ${key}${mark}: ${type};`;
    return [...comment(withoutLinks(row.description), indent), `${indent}${property}`];
  });
}

function typeOf(key, row, indent, withoutLinks) {
  const object = (shape, margin = indent) =>
    `{\n${properties({ shape, indent: `${margin}  `, withoutLinks }).join('\n')}\n${margin}}`;
  const byName = (each) =>
    `{\n${indent}  readonly [name: string]: ${object(each, `${indent}  `)};\n${indent}}`;
  const types =
    row.typescript === undefined
      ? row.types.map((type) => simpleType(type, row, { object, byName }))
      : [row.typescript];
  if (types.includes(undefined)) throw new Error(`The row of the key "${key}" has no "typescript".`);
  return [...types, ...(row.nullable ? ['null'] : [])].join(' | ');
}

function simpleType(type, { values, shape, each }, { object, byName }) {
  const literals = values?.map((value) => `'${value}'`).join(' | ');
  if (type === 'string' && values) return literals;
  if (type === 'string-list' && values) return `readonly (${literals})[]`;
  if (type === 'object' && shape) return object(shape);
  if (type === 'object' && each) return byName(each);
  if (type === 'list' && shape) return `readonly ${object(shape)}[]`;
  return simpleTypes[type];
}

/** TypeScript types of value types. Schemas and functions need more than their value type. */
const simpleTypes = {
  string: 'string',
  boolean: 'boolean',
  'positive-number': 'number',
  count: 'number',
  strings: 'string | readonly string[]',
  'string-list': 'readonly string[]',
  texts: 'Readonly<Record<string, string>>',
  object: 'Readonly<Record<string, unknown>>',
  list: 'readonly unknown[]',
  'raw-schema': 'object | string',
  any: 'unknown',
};

function comment(text, indent) {
  const line = `${indent}/** ${text} */`;
  if (line.length <= 110) return [line];
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && `${indent} * ${last} ${word}`.length > 110) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return [`${indent}/**`, ...lines.map((part) => `${indent} * ${part}`), `${indent} */`];
}

async function loadTables() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { keyTables } from './definition-shapes.js'; export { withoutLinks } from './key-shape.js';`,
      resolveDir: extension,
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

async function run() {
  const source = await loadTables();
  for (const file of filesWithKeys()) {
    const text = read(file);
    const updated = updateKeys(file, text, source);
    if (updated === text) continue;
    if (process.argv.includes('--check')) {
      process.stderr.write(`${file} differs from the tables of keys. Run: node .scripts/keys.mjs\n`);
      process.exitCode = 1;
    } else writeFileSync(path.join(root, file), updated);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run();
