import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { packageRoot } from '../../src/engine/base/folders.js';
import { fakeHost } from '../support/run-cli.js';

const { host } = fakeHost({ cwd: '/', home: '/' });
const { commands } = createProgram(host, () => {});

describe('the folders of the commands', () => {
  const folder = path.join(packageRoot(), 'src/cli/commands');
  const names = readdirSync(folder);

  it('are named as the commands of the program', () => {
    expect(names.toSorted()).toEqual(commands.map((command) => command.name()).toSorted());
  });

  it.each(names)('%s contains its grammar and its run module', (name) => {
    for (const file of ['grammar.ts', 'run.ts']) expect(existsSync(path.join(folder, name, file))).toBe(true);
  });
});

describe('the page of a command', () => {
  it.each(commands.map((command) => [command.name(), command] as const))(
    '%s names its arguments, its options and its exit codes',
    async (name, command) => {
      const page = await readFile(path.join(packageRoot(), 'docs', 'commands', `${name}.md`), 'utf8');
      expect(page).toContain(`# \`agenttools ${name}\``);
      for (const alias of command.aliases()) expect(page).toContain(alias);
      for (const argument of command.registeredArguments) expect(page).toContain(argument.name());
      for (const { long } of command.options) expect(page).toContain(`\`${long}`);
      expect(page).toContain('## Exit codes');
    },
  );
});
