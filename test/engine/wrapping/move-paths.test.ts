import path from 'node:path';
import { expect, it } from 'vitest';
import { machinePaths, movePaths } from '../../../src/engine/wrapping/move-paths.js';
import { writeFolder } from '../../support/packages.js';

const folder = writeFolder({ 'srv/server.mjs': '', 'data/a.txt': '' });
const move = (endpoint: object) => movePaths(endpoint as never, { plugin: folder });
const list = (...parts: readonly string[]) => parts.map((part) => `${folder}/${part}`).join(':');

it('moves paths of options, lists and variables', () => {
  const args = [
    `${folder}/srv/server.mjs`,
    `--root=${folder}/data`,
    `--all=${list('a', 'b')}`,
    folder,
    `-r=${folder}`,
  ];
  expect(move({ command: `${folder}/srv/run`, args, env: { PATHS: list('a', 'b') } })).toEqual({
    endpoint: {
      command: './plugin/srv/run',
      args: [
        './plugin/srv/server.mjs',
        '--root=./plugin/data',
        '--all=./plugin/a:./plugin/b',
        './plugin',
        '-r=./plugin',
      ],
      env: { PATHS: './plugin/a:./plugin/b' },
    },
  });
});

it('leaves other folders with the same beginning or end', () => {
  const args = [`${folder}-other/a`, `/mnt${folder}/a`, `${folder}.bak`];
  expect(move({ command: 'x', args }).endpoint).toEqual({ command: 'x', args });
});

it('relates paths to the working directory', () => {
  const args = ['server.mjs', `--root=${folder}/data`, `--all=${list('srv/a', 'b')}`, '--own=./server.mjs'];
  expect(move({ command: 'node', args, cwd: `${folder}/srv/` }).endpoint).toEqual({
    command: 'node',
    args: ['server.mjs', '--root=../data', '--all=./a:../b', '--own=./server.mjs'],
    cwd: './plugin/srv',
  });
});

it('moves relative paths that exist in the folder', () => {
  const args = ['--root=./data', './none'];
  expect(move({ command: 'x', args }).endpoint).toEqual({
    command: 'x',
    args: ['--root=./plugin/data', './none'],
  });
});

it('drops a folder of this machine in which the moved paths would not exist', () => {
  const moved = move({ command: 'node', args: [`${folder}/srv/server.mjs`], cwd: '/work' });
  expect(moved).toEqual({
    endpoint: { command: 'node', args: ['./plugin/srv/server.mjs'] },
    droppedFolder: '/work',
  });
});

it('finds paths of this machine in options and lists', () => {
  const [data, none] = [path.join(folder, 'data'), path.join(folder, 'none')];
  expect(machinePaths(`--root=${data}`)).toEqual([data]);
  expect(machinePaths(`${data}:${none}:/`)).toEqual([data, '/']);
  expect(machinePaths(none)).toEqual([none]);
  expect(machinePaths('https://x.test/a')).toEqual([]);
});
