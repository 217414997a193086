// Writes the tables of docs/compatibility.md from src/engine/compatibility/client-limits.json. With --check it only compares.
import { readFileSync, writeFileSync } from 'node:fs';
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
  return text.replace(
    /<!-- limits -->[\s\S]*<!-- \/limits -->/,
    // A text would mean parts of the page by `$`.
    () => `<!-- limits -->\n\n${tables.join('\n')}\n<!-- /limits -->`,
  );
}

function table(code, rows, names) {
  const lines = rows.map(
    ({ subject, versions = 'all', limit, unit, does, silent, evidence, source, checked, scope = {} }) => {
      const added = scope.added === undefined ? '' : `, with ${scope.added} added by the client`;
      const bound = limit === undefined ? '' : `${limit.toLocaleString('en-US')} ${unit}${added}`;
      const condition =
        scope.keyword ?? scope.of ?? (scope.pattern ? `names beyond \`${scope.pattern}\`` : '');
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
  return `### [${code}](rules/${code}.md)

| client or API | versions | limit | applies to | effect | message to users | evidence | checked |
| --- | --- | --- | --- | --- | --- | --- | --- |
${lines.join('')}`;
}

/** The limits. */
export function readLimits() {
  return JSON.parse(readFileSync(path.join(root, 'src/engine/compatibility/client-limits.json'), 'utf8'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = readFileSync(page, 'utf8');
  const updated = withLimits(text, readLimits());
  if (process.argv.includes('--check') && updated !== text) {
    process.stderr.write('docs/compatibility.md differs from the limits. Run: node .scripts/limits.mjs\n');
    process.exitCode = 1;
  } else if (updated !== text) writeFileSync(page, updated);
}
