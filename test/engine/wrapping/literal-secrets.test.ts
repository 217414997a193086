// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are references to variables.
import path from 'node:path';
import { expect, it } from 'vitest';
import { withoutSecrets } from '../../../src/engine/wrapping/literal-secrets.js';
import { writeFolder } from '../../support/packages.js';

const write = (endpoint: object, isPublished = true) =>
  withoutSecrets(endpoint as never, {
    server: 'desk',
    isPublished,
    refer: (variable) => `\${${variable}}`,
  });

const harmlessEnv = {
  LEVEL: 'info',
  MODE: 'HTTP',
  PORT: '8080',
  RANGE: '1.5',
  DISABLE_AUTH: 'true',
  PLACE: '/data/a b/notes.txt',
  HOME_FOLDER: '~/work',
  LINK: 'https://x.test:8080',
  API: 'https://api.x.test/v2/users',
  OWN: '${OWN}',
  JOINED: '${A}/${B}',
};

it('keeps switches, numbers, words, paths and addresses of variables', () => {
  expect(write({ command: 'x', env: harmlessEnv })).toEqual({ command: 'x', env: harmlessEnv });
});

it.for([
  ['PASSWORD', 'hunter'],
  ['DB_PWD', 'hunter'],
  ['PIN', '1234'],
  ['LOGIN', 'me'],
  ['BASIC_AUTH', 'info'],
  ['CREDENTIAL_FILE', '/home/me/c.json'],
  ['MAX_TOKENS', '4096'],
  ['X', 'hunter2'],
  ['X', 'red-fox'],
  ['HOOK', 'https://hooks.test/services/T000/B000/XXXXXXXX'],
  ['DB', 'postgres://user:pass@host'],
  ['LINK', 'https://x.test/a?k=9f8e'],
  ['LINK', 'https://me@x.test'],
  ['MIXED', '${A}hunter2'],
])('replaces %s=%s', ([name, value]) => {
  expect(write({ env: { [name!]: value } })).toEqual({ env: { [name!]: `\${${name}}` } });
});

it('replaces values of arguments by the names of their options', () => {
  const args = [
    '-y',
    '@acme/mcp@1.2.3',
    '--port',
    '80',
    '-p',
    'hunter',
    '-p',
    '8080',
    '--password',
    'hunter',
  ];
  const more = ['--region=eu', '--pin=1234', '-e', 'DB_PASS=x', 'mcp/pg:1.2', 'amqp://me:pw@h', 'x9y8z7w6v5'];
  expect(write({ args: [...args, ...more] }).args).toEqual([
    ...[
      '-y',
      '@acme/mcp@1.2.3',
      '--port',
      '80',
      '-p',
      '${DESK_P}',
      '-p',
      '8080',
      '--password',
      '${PASSWORD}',
    ],
    ...[
      '--region=eu',
      '--pin=${PIN}',
      '-e',
      'DB_PASS=${DB_PASS}',
      'mcp/pg:1.2',
      '${DESK_URL}',
      '${DESK_TOKEN}',
    ],
  ]);
});

it('replaces parts of addresses', () => {
  const url = 'https://me:hunter@x.test/v1/T000/mcp?team=blue&id=${ID}&sig=abc#9f8e7d6c5b';
  expect(write({ url }).url).toBe(
    'https://me:${DESK_PASSWORD}@x.test/v1/${DESK_TOKEN}/mcp?team=blue&id=${ID}&sig=${DESK_SIG}#${DESK_TOKEN}',
  );
  expect(write({ url: 'https://${USER}:${PASS}@x.test/${A}' }).url).toBe(
    'https://${USER}:${PASS}@x.test/${A}',
  );
});

it('replaces only apparent secrets in a definition of the user', () => {
  const env = { X: 'hunter2', TOKEN: 'abc' };
  expect(write({ env }, false)).toEqual({ env: { X: 'hunter2', TOKEN: '${TOKEN}' } });
});

it('keeps a path that exists, such as one of a cache', () => {
  const folder = writeFolder({ 'tickets-3e93675312f10c1b70e5ef47a7f3e183/index.js': '' });
  const args = [path.join(folder, 'tickets-3e93675312f10c1b70e5ef47a7f3e183/index.js')];
  expect(write({ command: 'node', args })).toEqual({ command: 'node', args });
  const missing = args.map((file) => `${file}.gone`);
  expect(write({ command: 'node', args: missing })).not.toEqual({ command: 'node', args: missing });
});
