import path from 'node:path';
import { expect, test } from 'vitest';
import type { InstallMissing } from '../../../src/engine/extension/installer.js';
import type { WorkspaceOptions } from '../../../src/engine/extension/workspace.js';
import { findCandidate } from '../../../src/engine/installation/installable-server.js';
import { checkRequirements } from '../../../src/engine/installation/requirements.js';
import { composeServer } from '../../../src/engine/runtime/compose-server.js';
import { addFiles, type Files, openWorkspace, packageJson, writeFolder } from '../../support/packages.js';

/** A package with a server that refers to further items. */
const supply = (name: string, ...tools: readonly string[]): Files =>
  Object.fromEntries(
    Object.entries({
      'package.json': packageJson({ servers: ['main'], tools: ['greet'] }, { name }),
      'agenttools/servers/main.json': { tools: ['greet', ...tools] },
      'agenttools/tools/greet.json': { description: 'Greets.', handler: './greet.js' },
      'greet.js': 'export default () => "hello";',
    }).map(([file, content]) => [`${name}/${file}`, content]),
  );

const stock: Readonly<Record<string, Files>> = {
  '@far/one': supply('@far/one', '@far/two/greet'),
  '@far/two': supply('@far/two'),
  '@far/greedy': supply('@far/greedy', '@no/such/a', '@no/such/b', '@no/other/c'),
  '@far/vague': supply('@far/vague', '@far/two/nothing'),
};

interface Options {
  readonly dryRun?: boolean;
  readonly obtains?: boolean;
  readonly project?: string;
  readonly cwd?: string;
  /** Gets what is told of what was added. */
  readonly told?: string[];
}

/** Looks for a server to be installed on a machine that has nothing; tells what was obtained for it. */
async function find(
  reference: string,
  { dryRun = false, obtains = true, told = [], ...place }: Options = {},
) {
  const packagesFolder = writeFolder();
  const nowhere = path.join(packagesFolder, 'nowhere');
  const workspace: WorkspaceOptions = {
    cwd: place.cwd ?? writeFolder(),
    homeDirectory: nowhere,
    builtinFolder: packagesFolder,
    packagesFolder,
    globalFolder: nowhere,
  };
  const asked: (readonly string[])[] = [];
  const obtain: InstallMissing = async (names, { onSettled }) => {
    asked.push(names);
    const failures = new Map<string, string>();
    for (const name of names) {
      const files = stock[name];
      if (files) {
        addFiles(packagesFolder, files);
        onSettled?.({ name, version: '1.2.3' });
      } else failures.set(name, 'nobody has it.');
    }
    return failures;
  };
  const { signal } = new AbortController();
  const outcome = await findCandidate({
    reference,
    workspace,
    project: place.project,
    obtain: obtains ? obtain : undefined,
    dryRun,
    signal,
    report: (line) => void told.push(line),
  }).then(
    ({ spec }) => spec.registry.all('tools').map(({ item }) => item),
    ({ code, message }) => `${code}: ${message}`,
  );
  return { outcome, asked };
}

test('installs a server and the packages that it refers to', async () => {
  expect(await find('@far/one/main')).toEqual({
    outcome: ['@far/one/greet', '@far/two/greet'],
    asked: [['@far/one'], ['@far/two']],
  });
});

test('reports added packages, even if others are unavailable', async () => {
  const told: string[] = [];
  await find('@far/one/main', { told });
  expect(told.splice(0)).toEqual([
    'Added @far/one 1.2.3, needed by the server @far/one/main.',
    'Added @far/two 1.2.3, needed by the server @far/one/main for the tool @far/two/greet.',
  ]);
  expect((await find('@far/greedy/main', { told })).outcome).toMatch(/^not-installed: /);
  expect(told).toEqual(['Added @far/greedy 1.2.3, needed by the server @far/greedy/main.']);
});

test('installs references of a server given by path, or written into a project', async () => {
  const folder = writeFolder(supply('kit', '@far/two/greet'));
  const outcome = ['kit/greet', '@far/two/greet'];
  const asked = [['@far/two']];
  expect(await find('./kit', { cwd: folder })).toEqual({ outcome, asked });
  const project = writeFolder({ 'package.json': {} });
  addFiles(path.join(project, 'node_modules'), supply('kit', '@far/two/greet'));
  expect(await find('kit/main', { project })).toEqual({ outcome, asked });
});

test('reports an unavailable package with its dependents', async () => {
  expect(await find('@no/such/main')).toEqual({
    outcome:
      'not-installed: The package @no/such could not be installed: nobody has it. Needed by the server @no/such/main.',
    asked: [['@no/such']],
  });
  expect((await find('@far/greedy/main')).outcome).toBe(
    [
      'not-installed: The package @no/such could not be installed: nobody has it. Needed by the server @far/greedy/main for the tool @no/such/a, the server @far/greedy/main for the tool @no/such/b.',
      'The package @no/other could not be installed: nobody has it. Needed by the server @far/greedy/main for the tool @no/other/c.',
    ].join('\n'),
  );
});

test('does not install a package that is present but invalid', async () => {
  const { outcome, asked } = await find('@far/vague/main');
  expect(asked).toEqual([['@far/vague'], ['@far/two']]);
  expect(outcome).toMatch(
    /^invalid-definition: @far\/vague\/main is not complete:\n.*declares no tool "nothing"/,
  );
});

test('lists missing packages in a dry run and installs nothing', async () => {
  expect(await find('@far/one/main', { dryRun: true })).toEqual({
    outcome:
      'not-installed: Missing packages would be installed first, but --dry-run installs nothing:\n  @far/one, needed by the server @far/one/main\nAdd them with: agenttools add @far/one',
    asked: [],
  });
  const cwd = writeFolder(supply('kit', '@far/two/greet'));
  expect((await find('./kit', { cwd, dryRun: true })).outcome).toContain(
    '@far/two, needed by the server kit/main for the tool @far/two/greet',
  );
});

test('suggests a command if installation is off', async () => {
  const cwd = writeFolder(supply('kit', '@far/two/greet'));
  for (const [reference, wayOut] of [
    ['@far/one/main', 'agenttools add @far/one'],
    ['./kit', 'agenttools add @far/two'],
  ] as const) {
    const { outcome, asked } = await find(reference, { cwd, obtains: false });
    expect([outcome, asked]).toEqual([expect.stringContaining(wayOut), []]);
  }
});

test('a package that only the project has is not taken for one of the registry', async () => {
  const project = writeFolder({ 'package.json': {} });
  addFiles(path.join(project, 'node_modules'), supply('@far/one'));
  const { outcome, asked } = await find('@far/one/main', { cwd: project });
  expect([outcome, asked]).toEqual([expect.stringContaining('is a package of this project only'), []]);
});

test('reports variables of existing servers that are unset or set for this process only', async () => {
  const folder = writeFolder({
    'package.json': packageJson({ servers: ['main'], tools: ['far'] }),
    'agenttools/servers/main.json': {
      tools: [
        'far',
        {
          upstream: {
            command: 'npx',
            args: ['it', `\${FOLDER:-.}`],
            env: { TOKEN: `\${TOKEN}`, KEY: `\${KEY}` },
          },
        },
        { upstream: { url: 'https://a.example', headers: { A: `\${GIVEN}` } } },
      ],
    },
    'agenttools/tools/far.json': { description: 'Far.', upstream: { command: 'x', env: { T: `\${TOKEN}` } } },
  });
  const workspace = openWorkspace();
  const spec = await composeServer(await workspace.findServer(path.join(folder, 'main')), workspace);
  const facts = { capabilities: {}, entryEnv: { GIVEN: 'x' }, env: { KEY: 'k' } };
  expect(await checkRequirements(spec, facts)).toEqual({
    missing: [],
    warnings: [
      'The tool "far" needs the environment variable TOKEN, which is not set. Give it with: --env TOKEN=<value>',
      `The tools of npx it \${FOLDER:-.} need the environment variable TOKEN, which is not set. Give it with: --env TOKEN=<value>`,
      `The tools of npx it \${FOLDER:-.} need KEY, which this shell has, but the client may not. Pass it on with: --env KEY`,
      'The server gives TOKEN to the program x.',
      `The server gives FOLDER, TOKEN, KEY to the program npx it \${FOLDER:-.}.`,
      'The server sends GIVEN to a.example.',
    ],
  });
});
