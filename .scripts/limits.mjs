// Writes the tables of docs/compatibility.md from src/engine/compatibility/client-limits.json and test/recorded-clients/. With
// --check it only compares. `server-findings.mjs` writes the table of servers.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = path.join(root, 'docs/compatibility.md');

/** The page with the tables of the limits. */
export function withLimits(text, { subjects, rows }) {
  const names = new Map(subjects.map(({ id, name }) => [id, name]));
  const codes = [...new Set(rows.map(({ code }) => code))].sort();
  const tables = codes.map((code) =>
    table(
      code,
      rows.filter((row) => row.code === code),
      names,
    ),
  );
  return replacePart(text, 'limits', tables.join('\n'));
}

function table(code, rows, names) {
  const lines = rows.map(
    ({ subject, versions = 'all', limit, unit, does, silent, evidence, source, checked, scope = {} }) => {
      const added = scope.added === undefined ? '' : `, with ${scope.added} added by the client`;
      const bound = limit === undefined ? '' : `${limit.toLocaleString('en-US')} ${unit}${added}`;
      const beyond = scope.pattern ? `names beyond \`${scope.pattern.replaceAll('|', '\\|')}\`` : '';
      const inCase = scope.ignores && `names that differ in ${scope.ignores}`;
      const condition =
        scope.keyword ??
        scope.feature ??
        scope.form ??
        [scope.of, beyond, inCase, scope.counts && 'with the data of images and sounds']
          .filter(Boolean)
          .join(', ');
      const cells = [
        names.get(subject),
        versions,
        bound,
        condition,
        does,
        silent ? 'no' : 'yes',
        `${evidence}: ${source}`,
        checked,
      ];
      return `| ${cells.join(' | ')} |\n`;
    },
  );
  const page = code.startsWith('serve/') ? 'adaptation.md#results-and-time' : `rules/${code}.md`;
  return `### [${code}](${page})

| client or API | versions | limit | applies to | effect | message to users | evidence | checked |
| --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join('')}`;
}

/** The page with the table of the captures. */
export function withCaptures(text, captures, { subjects }) {
  const names = new Map(subjects.map(({ id, name }) => [id, name]));
  const codes = (probes) => probes.map((probe) => `\`${probe}\``).join(', ') || 'none';
  const lines = captures.map(
    ({ client, version, recorded, instructionsKept, lost, names: renamed, usual, changed }) => {
      const everywhere = usual.map((change) => `most tools (\`${change.split(':')[0]}\`)`);
      const cells = [
        `${names.get(client)} ${version}`,
        recorded,
        codes(lost),
        codes(Object.keys(renamed)),
        [...everywhere, codes(Object.keys(changed))].join(', '),
        instructionsKept === 0 ? 'none' : instructionsKept === 5000 ? 'all' : `about ${instructionsKept}`,
      ];
      return `| ${cells.join(' | ')} |\n`;
    },
  );
  return replacePart(
    text,
    'captures',
    `| client | date | lost probes | other names | other descriptions or schemas | characters of 5,000 in instructions |
| --- | --- | --- | --- | --- | --- |
${lines.join('')}`,
  );
}

/** The page with the lost and damaged tools of the captures, without and with adaptation. */
export function withHarm(text, captures, { subjects }) {
  const names = new Map(subjects.map(({ id, name }) => [id, name]));
  const lines = captures.flatMap(({ client, version, recorded, harm }) =>
    groupsOf(harm).map(({ servers, direct, adapted }, index) => {
      const about = index === 0 ? [`${names.get(client)} ${version}`, recorded] : ['', ''];
      return `| ${[...about, servers, direct.tools, ...countsOf(direct), ...countsOf(adapted)].join(' | ')} |\n`;
    }),
  );
  return replacePart(
    text,
    'harm',
    `| client | date | servers | tools | lost | damaged | lost with \`--adapt\` | damaged with \`--adapt\` |
| --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join('')}`,
  );
}

const probes = ['probe', 'slow', 'boolean', 'null', 'typeless', 'required', 'output'];

/** Harm of the probe servers, and of the real servers. */
function groupsOf({ direct, adapted }) {
  const real = Object.keys(direct).filter((key) => !probes.includes(key));
  return Object.entries({ probes, 'real servers': real }).map(([servers, keys]) => ({
    servers,
    direct: sumOf(keys.map((key) => direct[key])),
    adapted: sumOf(keys.map((key) => adapted[key])),
  }));
}

function sumOf(parts) {
  return {
    tools: parts.reduce((sum, { tools }) => sum + tools, 0),
    lost: parts.flatMap(({ lost }) => lost),
    damaged: parts.flatMap(({ damaged }) => damaged),
  };
}

/** Most names of tools in a cell. */
const maxNamed = 8;

function countsOf({ lost, damaged }) {
  return [lost, damaged].map((names) => {
    const named =
      names.length > 0 && names.length <= maxNamed
        ? `: ${names.map((name) => `\`${name}\``).join(', ')}`
        : '';
    return `${names.length}${named}`;
  });
}

/** The page with a new text between two marks. */
export function replacePart(text, mark, part) {
  return text.replace(
    new RegExp(`<!-- ${mark} -->[\\s\\S]*<!-- /${mark} -->`),
    // A text would mean parts of the page by `$`.
    () => `<!-- ${mark} -->\n\n${part}\n<!-- /${mark} -->`,
  );
}

/** The captures of all clients. */
export function readCaptures() {
  const folder = path.join(root, 'test/recorded-clients');
  return readdirSync(folder).map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')));
}

/** The limits. */
export function readLimits() {
  return JSON.parse(readFileSync(path.join(root, 'src/engine/compatibility/client-limits.json'), 'utf8'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = readFileSync(page, 'utf8');
  const limits = readLimits();
  const captures = readCaptures();
  const updated = withHarm(withCaptures(withLimits(text, limits), captures, limits), captures, limits);
  if (process.argv.includes('--check') && updated !== text) {
    process.stderr.write(
      'docs/compatibility.md differs from the limits or captures. Run: node .scripts/limits.mjs\n',
    );
    process.exitCode = 1;
  } else if (updated !== text) writeFileSync(page, updated);
}
