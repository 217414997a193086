// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are scripts of shells.
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { bareEnvironment, programFile } from '../support/program.js';
import { temporaryFolder } from '../support/run-cli.js';

let env: Record<string, string>;

beforeAll(async () => {
  const folder = await temporaryFolder();
  const program = path.join(folder, 'agenttools');
  await writeFile(program, `#!/bin/sh\nexec "${process.execPath}" "${programFile}" "$@"\n`);
  await chmod(program, 0o755);
  env = bareEnvironment({ PATH: `${folder}${path.delimiter}${process.env.PATH}` });
});

/** Scripts that print the candidates for `$1`, one per line. */
const shells: Readonly<Record<string, (line: string) => readonly string[]>> = {
  bash: (line) => [
    '-c',
    'source <(agenttools completion bash); COMP_LINE=$1; COMP_POINT=${#1}; _agenttools; printf "%s\\n" "${COMPREPLY[@]}"',
    'bash',
    line,
  ],
  zsh: (line) => [
    '-fc',
    'compdef() {}; compadd() { print -rl -- $values }; source <(agenttools completion zsh); words=("${(@s: :)1}"); CURRENT=$#words; PREFIX=$words[-1]; _agenttools',
    'zsh',
    line,
  ],
  fish: (line) => [
    '--no-config',
    '-c',
    'agenttools completion fish | source; complete -C $argv[1] | string replace -r "\\t.*" ""; true',
    line,
  ],
};

test.each(Object.keys(shells))(
  'completes in %s',
  async (shell) => {
    const complete = async (line: string) =>
      (await promisify(execFile)(shell, shells[shell]!(line), { env })).stdout.trim().split('\n');
    expect(await complete('agenttools inst')).toEqual(['install']);
    expect(await complete('agenttools install curs')).toEqual(['cursor']);
    expect(await complete('agenttools validate --format sar')).toEqual(['sarif']);
    expect(await complete('agenttools call agenttools di')).toEqual(['diagnostics']);
  },
  30_000,
);
