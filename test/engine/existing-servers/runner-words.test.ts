import { describe, expect, test } from 'vitest';
import { readContainerImage, readPackageRunner } from '../../../src/engine/existing-servers/runner-words.js';

type Words = readonly [string, ...string[]];

const split = (line: string) => line.split(' ') as unknown as Words;

describe('the command of a runner', () => {
  test.for([
    ['npx acme', { kind: 'npm', name: 'acme' }, []],
    [
      'npx -y -q @acme/mcp@1.0.0 -y --flag',
      { kind: 'npm', name: '@acme/mcp', version: '1.0.0' },
      ['-y', '--flag'],
    ],
    ['npx --yes acme -- x', { kind: 'npm', name: 'acme' }, ['--', 'x']],
    [
      'npx --package=acme@1.0.0 serve x',
      { kind: 'npm', name: 'acme', version: '1.0.0', bin: 'serve' },
      ['x'],
    ],
    ['npx -y -p acme -- serve x', { kind: 'npm', name: 'acme', bin: 'serve' }, ['x']],
    ['C:\\nodejs\\npx.cmd -y acme', { kind: 'npm', name: 'acme' }, []],
    ['npm exec -y acme -- --flag', { kind: 'npm', name: 'acme' }, ['--flag']],
    ['npm x acme -y x', { kind: 'npm', name: 'acme' }, ['x']],
    ['pnpm dlx acme x', { kind: 'npm', name: 'acme' }, ['x']],
    ['/usr/bin/yarn dlx acme', { kind: 'npm', name: 'acme' }, []],
    ['bunx acme', { kind: 'npm', name: 'acme' }, []],
    ['uvx acme==1.0 --x', { kind: 'pypi', name: 'acme', version: '1.0' }, ['--x']],
    ['uvx acme@latest', { kind: 'pypi', name: 'acme' }, []],
    [
      'uv tool run --from acme[all]==1.0 serve',
      { kind: 'pypi', name: 'acme[all]', version: '1.0', script: 'serve' },
      [],
    ],
    ['dnx Acme.Mcp@1.0.0 --yes -- start', { kind: 'nuget', name: 'Acme.Mcp', version: '1.0.0' }, ['start']],
  ] as const)('%s is understood', ([line, reference, args]) => {
    expect(readPackageRunner(split(line))?.fetched).toEqual({ reference, args });
  });

  test.for([
    ['npx', 'npx'],
    ['npx -c x', 'npx'],
    ['npx -p acme -p other serve', 'npx'],
    ['npx -p', 'npx'],
    ['npx -y github:acme/mcp', 'npx'],
    ['npx ./folder', 'npx'],
    ['npm exec acme --flag', 'npm exec'],
    ['uvx --python 3.12 acme', 'uvx'],
    ['uvx --from git+https://x.example/a acme', 'uvx'],
    ['dnx Acme.Mcp --source x -- start', 'dnx'],
  ] as const)('%s is left to %s', ([line, runner]) => {
    expect(readPackageRunner(split(line))).toEqual({ runner, fetched: undefined });
  });

  test.for(['node npx', 'npm run mcp', 'uv run server.py', 'pnpm start'])('%s runs no package', (line) => {
    expect(readPackageRunner(split(line))).toBeUndefined();
  });
});

test.for([
  ['docker run -i --rm mcp/postgres', 'mcp/postgres'],
  [
    'docker run -i --rm -e KEY -eMODE -v /a:/b --mount type=bind --network=none acme/x:1 serve /c:/d',
    'acme/x:1',
  ],
  ['/usr/bin/podman container run -it --init -- acme', 'acme'],
  ['docker.exe run --entrypoint sh acme', 'acme'],
  ['docker run -e', undefined],
  ['docker compose run acme', undefined],
  ['sh run acme', undefined],
] as const)('the image of %s is %s', ([line, image]) => {
  expect(readContainerImage(split(line))).toBe(image);
});
