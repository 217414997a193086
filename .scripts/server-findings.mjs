// Writes the table of the findings in recorded servers into docs/compatibility.md. The rules are bundled from the source.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { replacePart } from './limits.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = path.join(root, 'docs/compatibility.md');

/** The page with the table of the findings. */
export function withServers(text, servers) {
  const lines = servers.map(
    ({ server, recorded, tools, found, more }) =>
      `| ${server} | ${recorded} | ${tools} | ${cellOf(found)} | ${cellOf(more)} |\n`,
  );
  return replacePart(
    text,
    'servers',
    `| server | date | tools | findings | more with \`--clients all\` |
| --- | --- | --- | --- | --- |
${lines.join('')}`,
  );
}

function cellOf(counts) {
  return Object.entries(counts)
    .map(([code, count]) => `${code} ${count}`)
    .join(', ');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const {
    outputFiles: [{ text: code }],
  } = await build({
    entryPoints: [path.join(root, 'test/support/server-findings.ts')],
    absWorkingDir: root,
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
    define: { 'import.meta.dirname': JSON.stringify(path.join(root, 'test/support')) },
  });
  const { findInServers } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  writeFileSync(page, withServers(readFileSync(page, 'utf8'), await findInServers()));
}
