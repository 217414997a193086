import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Extension } from '../../../src/engine/extension/extension.js';
import {
  isPathArgument,
  MissingPackageError,
  UnknownItemError,
} from '../../../src/engine/extension/workspace.js';
import { type Files, openWorkspace, packageJson, writeFolder } from '../../support/packages.js';

const here = { file: 'server.json' };

/** The files of a package with one tool, titled after where it lies. */
const kit = (folder: string, name: string, tool = 'shared'): Files => ({
  [path.join(folder, 'package.json')]: packageJson({ tools: [tool] }, { name }),
  [path.join(folder, `agenttools/tools/${tool}.json`)]: { title: folder },
});

/** A machine with a package in every place that is searched. */
function machine(names: { readonly [place: string]: string }) {
  const places: Record<string, string> = {
    own: 'work/project/node_modules/referrer/node_modules',
    beside: 'work/project/node_modules',
    above: 'work/node_modules',
    cwd: 'here/app',
    belowCwd: 'here/app/node_modules',
    aboveCwd: 'here/node_modules',
    ours: 'home/packages/node_modules',
    global: 'usr/lib/node_modules',
  };
  const files = Object.entries(names).map(([place, name]) =>
    kit(place === 'cwd' ? places.cwd! : path.join(places[place]!, name), name),
  );
  const root = writeFolder(
    Object.assign(
      { ...kit('work/project/node_modules/referrer', 'referrer', 'mine') },
      { 'here/app/deep/x': '' },
      ...files,
    ),
  );
  const at = (place: string) => path.join(root, places[place]!);
  const workspace = openWorkspace({
    cwd: path.join(root, 'here/app/deep'),
    packagesFolder: at('ours'),
    globalFolder: at('global'),
  });
  return {
    workspace,
    root,
    referrer: () => workspace.open(path.join(root, 'work/project/node_modules/referrer')),
  };
}

describe('a package is searched', () => {
  const order = ['own', 'beside', 'above', 'cwd', 'belowCwd', 'aboveCwd', 'ours', 'global'];
  const everywhere = (places: readonly string[]) => Object.fromEntries(places.map((place) => [place, 'kit']));
  const placeOf = (extension: Extension | undefined, root: string) =>
    extension && path.relative(root, extension.manifest.directory);

  test.each(order.map((first, index) => [first, order.slice(index)] as const))(
    '%s before %j',
    async (first, places) => {
      const { workspace, root, referrer } = machine(everywhere(places));
      const alone = machine({ [first]: 'kit' });
      const found = await workspace.findPackage('kit', await referrer());
      expect(placeOf(found, root)).toBe(
        placeOf(await alone.workspace.findPackage('kit', await alone.referrer()), alone.root),
      );
      expect(found?.name).toBe('kit');
    },
  );

  test('first of all in the referring one', async () => {
    const { workspace, referrer } = machine({ own: 'referrer' });
    expect(await workspace.findPackage('referrer', await referrer())).toBe(await referrer());
  });

  test('without a referring one from the working directory on', async () => {
    const { workspace } = machine({ own: 'kit', beside: 'kit' });
    expect(await workspace.findPackage('kit')).toBeUndefined();
  });

  test('by a name that is one, and never by a path', async () => {
    const { workspace, referrer } = machine({ beside: 'kit' });
    for (const name of ['..', '.', '../referrer', '@../..', '@a/../kit', '', 'node_modules/kit', '/kit']) {
      expect(await workspace.findPackage(name, await referrer())).toBeUndefined();
    }
  });

  test('through links, as Node does', async () => {
    const root = writeFolder({
      ...kit('real/kit', 'kit'),
      ...kit('real/node_modules/friend', 'friend'),
      'app/node_modules/x': '',
    });
    symlinkSync(path.join(root, 'real/kit'), path.join(root, 'app/node_modules/kit'));
    const workspace = openWorkspace({ cwd: path.join(root, 'app') });
    const found = await workspace.findPackage('kit');
    expect(found?.manifest.directory).toBe(path.join(root, 'real/kit'));
    expect((await workspace.findPackage('friend', found))?.name).toBe('friend');
  });
});

describe('a name in a definition leads', () => {
  const root = writeFolder({
    ...kit('app', '@acme/app', 'own'),
    'app/package.json': packageJson({ tools: ['own', 'both'] }, { name: '@acme/app' }),
    'app/agenttools/tools/both.json': { title: 'own' },
    'app/agenttools/tools/undeclared.json': { title: 'undeclared' },
    'builtin/core/package.json': packageJson({ tools: ['both', 'builtin'] }, { name: 'core' }),
    'builtin/core/agenttools/tools/both.json': { title: 'builtin' },
    'builtin/core/agenttools/tools/builtin.json': { title: 'builtin' },
    'builtin/README.md': 'no package',
    ...kit('app/node_modules/@acme/other', '@acme/other', 'foreign'),
    'app/node_modules/@acme/other/agenttools/tools/undeclared.json': {},
    ...kit('app/node_modules/plain', 'plain', 'foreign'),
    'app/node_modules/library/package.json': { name: 'library' },
  });
  const workspace = openWorkspace({ builtinFolder: path.join(root, 'builtin') });
  const app = () => workspace.open(path.join(root, 'app'));
  const resolve = async (name: string) => await workspace.resolveItem('tools', name, await app(), here);

  test.each([
    ['own', '@acme/app', 'own'],
    ['both', '@acme/app', 'both'],
    ['builtin', 'core', 'builtin'],
    ['@acme/app/own', '@acme/app', 'own'],
    ['acme/app/own', '@acme/app', 'own'],
    ['@acme/other/foreign', '@acme/other', 'foreign'],
    ['acme/other/foreign', '@acme/other', 'foreign'],
    ['plain/foreign', 'plain', 'foreign'],
  ])('%s to %s %s', async (name, packageName, item) => {
    const found = await resolve(name);
    expect([found.extension.name, found.item]).toEqual([packageName, item]);
  });

  const lost: readonly [string, string, boolean, RegExp][] = [
    ['ownn', 'unknown-tool', false, /declares no tool "ownn".* Did you mean "own"\? Declared: own, both\.$/],
    ['undeclared', 'unknown-tool', false, /declares no tool "undeclared"/],
    ['foreign', 'unknown-tool', false, /declares no tool "foreign"/],
    ['@acme/app/nothing', 'unknown-tool', false, /declares no tool "nothing"/],
    ['a/b/c/d', 'unknown-tool', false, /declares no tool "a\/b\/c\/d"/],
    ['../own', 'unknown-tool', false, /declares no tool "\.\.\/own"/],
    ['@acme/other/undeclared', 'unresolved-reference', true, /@acme\/other declares no tool "undeclared"/],
    ['@acme/absent/x', 'unresolved-reference', true, /agenttools add @acme\/absent/],
    ['library/x', 'unresolved-reference', true, /library is not an extension/],
  ];

  test.each(lost)('%s nowhere', async (name, code, foreign, message) => {
    const error = await resolve(name).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnknownItemError);
    expect(error).toMatchObject({ code, foreign, location: here, message: expect.stringMatching(message) });
    const missing = name === '@acme/absent/x' ? '@acme/absent' : undefined;
    expect((error as UnknownItemError).missingPackage).toBe(missing);
  });
});

describe('a server is named', () => {
  const server = { tools: [] };
  const root = writeFolder({
    'builtin/core/package.json': packageJson({ servers: ['core', 'search'] }, { name: 'core' }),
    'one/package.json': packageJson({ servers: ['only'] }, { name: '@acme/one' }),
    'one/agenttools/servers/only.json': server,
    'one/only/readme': '',
    'many/package.json': packageJson({ servers: ['first', 'second'] }, { name: 'many' }),
    ...kit('bare', '@acme/bare'),
    'empty/package.json': packageJson({}, { name: 'empty' }),
    'library/package.json': { name: 'library' },
    'twins/package.json': packageJson({ servers: ['desk', 'Desk'] }, { name: 'twins' }),
    ...Object.fromEntries(
      ['one', 'many', 'bare'].map((name) => [
        `home/${name}/package.json`,
        packageJson({ servers: ['athome'] }, { name }),
      ]),
    ),
    'node_modules/many/package.json': packageJson({ servers: ['first', 'second'] }, { name: 'many' }),
    'node_modules/@acme/one/package.json': packageJson({ servers: ['only'] }, { name: '@acme/one' }),
    'node_modules/@acme/bare/package.json': packageJson({ prompts: ['x'] }, { name: '@acme/bare' }),
    'node_modules/core/package.json': packageJson({ servers: ['shadow'] }, { name: 'core' }),
    'package.json': { name: 'no-extension' },
  });
  const workspace = openWorkspace({
    cwd: root,
    builtinFolder: path.join(root, 'builtin'),
    homeDirectory: path.join(root, 'home'),
  });
  const find = async (name: string) => {
    const { extension, server: found } = await workspace.findServer(name);
    return [extension.name, found];
  };

  test.each([
    ['search', 'core', 'search'],
    ['core', 'core', 'core'],
    ['@acme/one', '@acme/one', 'only'],
    ['@acme/one/only', '@acme/one', 'only'],
    ['acme/one/only', '@acme/one', 'only'],
    ['many/second', 'many', 'second'],
    ['SEARCH', 'core', 'search'],
    ['@Acme/ONE/Only', '@acme/one', 'only'],
    ['@ACME/bare', '@acme/bare', undefined],
    ['./many/First', 'many', 'first'],
    ['./bare/BARE', '@acme/bare', undefined],
    ['./twins/desk', 'twins', 'desk'],
    ['@acme/bare', '@acme/bare', undefined],
    ['@acme/bare/bare', '@acme/bare', undefined],
    ['./one', '@acme/one', 'only'],
    ['./one/', '@acme/one', 'only'],
    ['./one/only', '@acme/one', 'only'],
    ['one/../one', undefined, undefined],
    ['./many/first', 'many', 'first'],
    ['./bare', '@acme/bare', undefined],
    ['./bare/bare', '@acme/bare', undefined],
    ['~/one', 'one', 'athome'],
    ['~/many/athome', 'many', 'athome'],
    [path.join(root, 'one'), '@acme/one', 'only'],
  ])('%s', async (reference, packageName, name) => {
    if (packageName === undefined) await expect(find(reference)).rejects.toThrow('There is no server');
    else expect(await find(reference)).toEqual([packageName, name]);
  });

  test.each([
    ['many', 'ambiguous', /^many has several servers\. Name one of: many\/first, many\/second\.$/],
    ['./many', 'ambiguous', /Name one of: \.\/many\/first, \.\/many\/second\.$/],
    ['./many/', 'ambiguous', /Name one of: \.\/many\/first, \.\/many\/second\.$/],
    [
      'many/firs',
      'not-found',
      /^many has no server "firs"\. Did you mean "first"\? Its servers: first, second\.$/,
    ],
    [
      './one/other',
      'not-found',
      /There is no folder .*other, and @acme\/one has no server "other"\. Its servers: only\./,
    ],
    ['./twins/DESK', 'not-found', /has no server "DESK"\. Did you mean "desk"\?/],
    ['@acme/bare/other', 'not-found', /Its servers: bare\./],
    ['./empty', 'not-found', /empty declares no items to serve/],
    ['./empty/empty', 'not-found', /empty has no server "empty"/],
    ['serach', 'not-found', /Did you mean "search"\? Give a path such as/],
    ['scripty', 'not-found', /agenttools add scripty, or name its server: scripty\/<server>\.$/],
    ['-scripty', 'not-found', /built-in or user server\.$/],
    ['@acme/absent', 'not-installed', /agenttools add @acme\/absent/],
    ['@acme/absent/x', 'not-installed', /agenttools add @acme\/absent/],
    ['absent/x', 'not-installed', /agenttools add absent/],
    ['./nowhere/deep', 'not-found', /There is no folder .*nowhere.deep\.$/],
    ['./library', 'no-extension', /library is not an extension/],
  ])('%s: %s', async (reference, code, message) => {
    await expect(find(reference)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test.each([
    ['@acme/absent', '@acme/absent', '@acme/absent'],
    ['acme/absent/x', '@acme/absent', '@acme/absent/x'],
    ['absent/x', 'absent', 'absent/x'],
  ])('%s: the package %s is missing for %s', async (reference, packageName, server) => {
    await expect(find(reference)).rejects.toMatchObject({ packageName, server });
  });

  test.each(['absent', './nowhere/deep', '@acme/one/other'])(
    '%s: no package is missing',
    async (reference) => {
      await expect(find(reference)).rejects.not.toBeInstanceOf(MissingPackageError);
    },
  );

  test('a built-in one wins over an installed package of its name', async () => {
    expect(await find('core')).toEqual(['core', 'core']);
    expect(await find('core/shadow')).toEqual(['core', 'shadow']);
  });
});

test.each([
  ['.', true],
  ['./x', true],
  ['../x', true],
  ['/x', true],
  ['~', true],
  ['~/x', true],
  ['C:\\x', true],
  ['c:/x', true],
  ['.\\x', true],
  ['x', false],
  ['x/y', false],
  ['@x/y', false],
  ['', false],
])('%j is a path: %s', (text, isPath) => {
  expect(isPathArgument(text)).toBe(isPath);
});

test('gives items of a bundled extension bare names, other items qualified names', async () => {
  const root = writeFolder({ ...kit('builtin/core', 'core'), ...kit('other', 'core') });
  const workspace = openWorkspace({ builtinFolder: path.join(root, 'builtin') });
  const bundled = await workspace.open(path.join(root, 'builtin/core'));
  const other = await workspace.open(path.join(root, 'other'));
  expect([bundled, other].map((extension) => extension.qualify('shared'))).toEqual(['shared', 'core/shared']);
});

test('opens a folder once, by any path to it', async () => {
  const root = writeFolder(kit('kit', 'kit'));
  symlinkSync(path.join(root, 'kit'), path.join(root, 'link'));
  const workspace = openWorkspace();
  expect(await workspace.open(path.join(root, 'link'))).toBe(await workspace.open(path.join(root, 'kit')));
});
