import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runCli } from '../support/run-cli.js';

const read = `
import json, sys
from xml.etree import ElementTree
suites = ElementTree.parse(sys.argv[1]).getroot()
print(json.dumps({
  'suites': suites.attrib,
  'cases': [
    [case.get('name'), [[part.tag, part.get('message'), part.text] for part in case]]
    for suite in suites for case in suite
  ],
}))
`;

test('the JUnit report of hostile texts is well-formed XML with the same texts', async () => {
  const odd = '<a href="x">&amp; \u0000\u001b\uFFFE\uD800 ]]> \'';
  const { cwd, stdout } = await runCli(['validate', '--format', 'junit'], {
    files: {
      'agenttools/note.txt': '',
      'package.json': {
        name: 'x',
        version: '1.0.0',
        private: true,
        agenttools: {
          tools: [odd, 'gone'],
          rules: [{ code: 'missing-definition', item: 'gone', reason: `${odd}\nnext` }],
        },
      },
    },
  });
  const file = path.join(cwd, 'report.xml');
  await writeFile(file, stdout);
  const parsed = JSON.parse((await promisify(execFile)('python3', ['-c', read, file])).stdout);
  const shown = '<a href=\\"x\\">&amp; \\u0000\\u001b\\ufffe\\ud800 ]]> \'';
  expect(parsed.suites).toMatchObject({ tests: '2', failures: '1', skipped: '1' });
  const [[, [[tag, message, text]]], [name, [[skipped, reason]]]] = parsed.cases;
  expect([tag, skipped, name]).toEqual(['failure', 'skipped', 'missing-definition: tool/gone']);
  expect(message).toContain(shown);
  expect(text).toBe(`package.json:7:7: error invalid-declaration: ${message}`);
  expect(reason).toBe(`${shown.replaceAll('\\"', '"')}\nnext`);
});
