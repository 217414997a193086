import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceFolders } from '../../../src/engine/base/folders.js';
import { choosePackageName } from '../../../src/engine/create/package-name.js';
import { createExtension, scaffoldFiles } from '../../../src/engine/create/scaffold.js';
import { Workspace } from '../../../src/engine/extension/workspace.js';
import { composeServer } from '../../../src/engine/runtime/compose-server.js';
import { diagnose } from '../../../src/engine/validate/validate.js';
import { temporaryFolder } from '../../support/run-cli.js';
import { optionsFor } from '../validate/support/validating.js';

describe('a new extension', () => {
  it('is served whole', async () => {
    const cwd = await temporaryFolder();
    const directory = path.join(cwd, 'my-plugin');
    await createExtension({ directory, name: '@acme/plugin', typescript: false, version: '1.0.0' });
    const folders = workspaceFolders({ cwd, env: {}, home: cwd, platform: process.platform });
    const workspace = new Workspace({ cwd, ...folders });
    const server = await composeServer(await workspace.findServer('./my-plugin'), workspace);
    expect(server.qualifiedName).toBe('@acme/plugin/plugin');
    expect(server.leftOut).toEqual([]);
    expect(server.registry.all('tools').map(({ item }) => item)).toEqual(['@acme/plugin/greet']);
    expect(server.registry.all('prompts').map(({ item }) => item)).toEqual(['@acme/plugin/introduce']);
  });

  it('with an app validates without a warning, and binds the app to its tool', async () => {
    const directory = path.join(await temporaryFolder(), 'my-plugin');
    const plan = {
      directory,
      name: '@acme/plugin',
      typescript: false,
      version: '1.0.0',
      template: 'app' as const,
    };
    const { files } = await createExtension(plan);
    expect(files).toContain('agenttools/apps/greeting.html');
    const { diagnostics, snapshot } = await diagnose(directory, optionsFor());
    expect(diagnostics).toEqual([]);
    expect(snapshot.items.map(({ ref }) => `${ref.kind} ${ref.name}`)).toContain('app greeting');
    expect(snapshot.items.find(({ name }) => name === 'greet')?.definition?.value.ui).toBe('greeting');
  });

  it('packs everything its definitions name', async () => {
    const files = await scaffoldFiles({ name: 'x', typescript: false, version: '1.2.3' });
    const packageJson = JSON.parse(files['package.json']!);
    const { handler } = JSON.parse(files['agenttools/tools/greet.json']!);
    expect(packageJson.files).toContain('agenttools');
    expect(packageJson.files).toContain(handler.split('/')[1]);
  });

  it('takes its types from the version that made it', async () => {
    const files = await scaffoldFiles({ name: 'x', typescript: true, version: '1.2.3' });
    expect(JSON.parse(files['package.json']!).devDependencies.agenttools).toBe('^1.2.3');
  });
});

describe('the name of a new package', () => {
  it.each([
    ['/a/weather', undefined, 'weather'],
    ['/a/My Weather!', undefined, 'my-weather'],
    ['/a/x', '@acme/weather', '@acme/weather'],
  ])('turns %s and %s into %s', (directory, given, expected) => {
    expect(choosePackageName(directory, given)).toBe(expected);
  });

  it.each([
    ['/a/!!!', undefined, 'nothing in it is legal'],
    ['/a/fs', undefined, 'a module of Node has that name'],
    ['/', undefined, 'Give one with --name'],
    ['/a/x', '@Acme/Weather', 'expected lower-case letters'],
  ])('rejects %s and %s', (directory, given, message) => {
    expect(() => choosePackageName(directory, given)).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.stringContaining(message) }),
    );
  });
});
