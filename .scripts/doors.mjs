// Writes .doors.json: Biome's rules for the imports of each room, from rooms.json. With --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../.doors.json', import.meta.url);
const rooms = JSON.parse(readFileSync(new URL('rooms.json', import.meta.url), 'utf8'));
const names = Object.keys(rooms).filter((name) => name.split('/').length < 3);
const words = (text = '') => text.split(' ').filter(Boolean);

/** Packages and globals that a room may use only if its row names them. */
const kept = { sdk: '@modelcontextprotocol/**', process: undefined };

function rule(name, options) {
  return { linter: { rules: { style: { [name]: { level: 'error', options } } } } };
}

function doors(room, { does, imports, packages, node }) {
  const allowed = words(imports);
  const used = words(packages);
  const own = room.replace('engine/', '').split('/')[0];
  const closed = names
    .map((name) => name.replace('engine/', ''))
    .filter((name) => name !== own && !allowed.includes(name));
  const group = [
    ...closed.map((name) => `../**/${name}/**`),
    '../**/cli/**',
    '../**/edge/**',
    'commander',
    'chalk',
    ...(used.includes('sdk') ? [] : [kept.sdk]),
  ];
  const message = `The room ${room} ${does}. It may import: ${allowed.join(', ') || 'nothing else'}.`;
  const files = words(node === 'none' ? '' : node).map((name) => `src/${room}/${name}.ts`);
  const includes = [`src/${room}/**`];
  const imported = (patterns) => rule('noRestrictedImports', { patterns: [{ group: patterns, message }] });
  const rules = node
    ? [
        { includes: [...includes, ...files.map((name) => `!${name}`)], ...imported(['node:*', ...group]) },
        ...(files.length > 0 ? [{ includes: files, ...imported(group) }] : []),
      ]
    : [{ includes, ...imported(group) }];
  if (used.includes('process') || room === 'preview-page') return rules;
  const hint = 'Take a Host, an env or a folder as an argument.';
  return [...rules, { includes, ...rule('noRestrictedGlobals', { deniedGlobals: { process: hint } }) }];
}

const overrides = Object.entries(rooms).flatMap(([room, row]) => doors(room, row));
const rows = overrides.map((override) => `  ${JSON.stringify(override)}`).join(',\n');
const text = `{ "overrides": [\n${rows}\n] }\n`;
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('.doors.json differs from .scripts/rooms.json. Run: node .scripts/doors.mjs\n');
  process.exitCode = 1;
}
