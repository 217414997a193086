import path from 'node:path';
import { expect, test } from 'vitest';
import { prepareServer } from '../../../src/engine/serve/prepare-server.js';
import { type Files, packageJson, writeFolder } from '../../support/packages.js';

/** A server of `@acme/kit` with tools of two other packages, one of them in code; each module says that it ran. */
const files: Files = {
  'node_modules/@acme/kit/package.json': packageJson({ servers: ['kit'], tools: ['own'] }),
  'node_modules/@acme/kit/agenttools/servers/kit.js': `
    globalThis.frozenTest.push('kit');
    export default { tools: ['own', '@far/data/greet', '@far/code/greet', '@far/code/wave', '@far/broken/greet', 'diagnostics'] };`,
  'node_modules/@acme/kit/agenttools/tools/own.json': { description: 'x', handler: './run.js' },
  'node_modules/@acme/kit/run.js': 'export default () => 1;',
  'node_modules/@far/data/package.json': packageJson({ tools: ['greet'] }, { name: '@far/data' }),
  'node_modules/@far/data/agenttools/tools/greet.json': { description: 'x', handler: './run.js' },
  'node_modules/@far/data/run.js': 'export default () => 1;',
  'node_modules/@far/code/package.json': packageJson({ tools: ['greet', 'wave'] }, { name: '@far/code' }),
  'node_modules/@far/code/agenttools/tools/greet.js': `
    globalThis.frozenTest.push('code');
    export default { description: 'x', handler: () => 1 };`,
  'node_modules/@far/code/agenttools/tools/wave.js': `export default { description: 'x', handler: () => 1 };`,
  'node_modules/@far/broken/package.json': packageJson({ tools: ['greet'] }, { name: '@far/broken' }),
};

/** Starts the server where the named packages are not what they were; tells what ran and what came of it. */
async function start(changed: readonly string[]) {
  const ran: string[] = [];
  Object.assign(globalThis, { frozenTest: ran });
  const cwd = writeFolder(files);
  const asked: string[] = [];
  const outcome = await prepareServer(
    {
      server: '@acme/kit',
      strict: false,
      checkDrift: async (extensions) => {
        asked.push(...extensions.map(({ name }) => name));
        return extensions.flatMap(({ name }) => (changed.includes(name) ? [`${name}: greet changed`] : []));
      },
    },
    {
      host: { cwd, home: cwd, platform: 'linux', env: { npm_config_prefix: path.join(cwd, 'global') } },
      report: () => {},
      signal: new AbortController().signal,
    },
  ).then(
    () => 'served',
    ({ code, message }) => `${code}: ${message}`,
  );
  return { ran, outcome, asked: asked.toSorted() };
}

const refused = (...lines: readonly string[]) =>
  [
    'refused: @acme/kit/kit is not served, since --frozen was given and not all of it is as it was added:',
    ...lines,
  ].join('\n  ');

test('serves an unchanged server, and asks about each of its packages once, except for AgentTools', async () => {
  expect(await start([])).toEqual({
    ran: ['kit', 'code'],
    outcome: 'served',
    asked: ['@acme/kit', '@far/broken', '@far/code', '@far/data'],
  });
});

test('a server that is not is refused before its code runs', async () => {
  expect(await start(['@acme/kit', '@far/code'])).toMatchObject({
    ran: [],
    outcome: refused('@acme/kit: greet changed'),
  });
});

test('refuses a server with items of changed packages, and does not run their code', async () => {
  expect(await start(['@far/data', '@far/code', '@far/broken'])).toMatchObject({
    ran: ['kit'],
    outcome: refused('@far/data: greet changed', '@far/code: greet changed', '@far/broken: greet changed'),
  });
});
