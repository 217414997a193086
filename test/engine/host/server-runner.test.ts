import path from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { Runner } from '../../../src/engine/host/server-runner.js';
import { LiveServer } from '../../../src/engine/live/live-server.js';
import { addFiles, packageJson, writeFolder } from '../../support/packages.js';

afterEach(() => vi.restoreAllMocks());

const files = {
  'package.json': packageJson({ tools: ['greet'] }),
  'agenttools/tools/greet.js': `export default { description: 'Greets.', handler: () => 'hello' };`,
};

function runnerOf(server: string): Runner {
  const folder = writeFolder();
  const hosted = { server, project: false, cwd: folder, home: folder, env: {} };
  return new Runner({ ...hosted, platform: process.platform }, { send: () => {}, report: () => {} });
}

it('opens one live server when a composition is requested during the first', async () => {
  const open = vi.spyOn(LiveServer, 'open');
  const recompose = vi.spyOn(LiveServer.prototype, 'recompose');
  const runner = runnerOf(writeFolder(files));
  const ended: string[] = [];
  const compose = async (name: string) => {
    await runner.compose({});
    ended.push(name);
  };
  await Promise.all([compose('first'), compose('second')]);
  expect(ended).toEqual(['first', 'second']);
  expect(open).toHaveBeenCalledOnce();
  expect(recompose).toHaveBeenCalledOnce();
});

it('composes the server after a composition has failed', async () => {
  const directory = path.join(writeFolder(), 'kit');
  const runner = runnerOf(directory);
  await expect(runner.compose({})).rejects.toThrow('kit');
  addFiles(directory, files);
  expect(await runner.compose({})).toEqual({});
});
