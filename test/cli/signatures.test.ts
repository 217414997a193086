import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { runAtHome } from '../support/run-cli.js';
import { signatureOver, startSigningRegistry } from '../support/signing-registry.js';
import { ticketsServer } from '../support/tickets-server.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry();
  await registry.publish({ 'package.json': { name: 'lower', version: '1.0.0' } });
  await publishKit('1.0.0');
  await registry.publish({
    'package.json': { name: '@acme/mcp', version: '1.2.0', type: 'module', bin: 'server.js' },
    'server.js': ticketsServer,
  });
});

async function publishKit(version: string): Promise<void> {
  const agenttools = { tools: ['tell'] };
  await registry.publish({
    'package.json': { name: '@acme/kit', version, agenttools, dependencies: { lower: '1.0.0' } },
    'agenttools/tools/tell.json': { description: `Tells ${version}.`, handler: './tell.js' },
    'tell.js': 'export default () => "told";',
  });
}

type Options = Parameters<typeof startSigningRegistry>[1];

/** A user whose registry signs. */
async function open(options?: Options) {
  const url = await startSigningRegistry(registry, options);
  const home = writeFolder({ '.npmrc': `registry=${url}\n` });
  const run = async (...words: readonly string[]) =>
    await runAtHome(home, words, { PATH: process.env.PATH!, AGENTTOOLS_MCP_REGISTRY: 'none' });
  const setRegistry = async (more: Options) =>
    writeFileSync(path.join(home, '.npmrc'), `registry=${await startSigningRegistry(registry, more)}\n`);
  return { home, run, setRegistry };
}

/** The recorded state of the signature of the added package. */
function recordedState(home: string): unknown {
  const installed = path.join(home, 'agenttools/installed');
  const [folder] = readdirSync(installed).filter((name) => !name.startsWith('.'));
  return JSON.parse(readFileSync(path.join(installed, folder!, 'added.json'), 'utf8')).signature;
}

const foreign = signatureOver('@acme/kit@1.0.0:sha512-of-other-files');

/** Faults of signatures, and the reason in the message. */
const faults: Readonly<Record<string, readonly [Options, string]>> = {
  'of other files': [
    { change: (signature, name) => (name === '@acme/kit' ? foreign : signature) },
    '@acme/kit@1.0.0 has an invalid signature: its signature is not of these files.',
  ],
  'of a dependency, which is not Base64': [
    { change: ({ keyid }, name) => (name === 'lower' ? { keyid, sig: '…' } : signatureOver('x')) },
    'has an invalid signature: its signature is not of these files.',
  ],
  'by an unknown key': [
    { change: ({ sig }) => ({ keyid: 'SHA256:other', sig }) },
    'its registry does not publish the key SHA256:other.',
  ],
  'by a key that had expired': [
    { expires: '2020-01-01T00:00:00.000Z' },
    'the key SHA256:key-of-the-test had expired when it was published.',
  ],
};

describe.each(Object.entries(faults))('a signature %s', (_, [options, reason]) => {
  it('is refused by add, install and update, and nothing is installed', async () => {
    const { home, run, setRegistry } = await open(options);
    const added = await run('add', '@acme/kit@1.0.0');
    expect(added.code).toBe(1);
    expect(added.stderr).toContain(reason);
    expect(added.stderr).toContain('Nothing was installed.');
    expect(existsSync(path.join(home, 'agenttools/packages/node_modules/@acme/kit'))).toBe(false);

    await setRegistry({});
    await run('add', '@acme/kit@1.0.0');
    await setRegistry(options);
    const updated = await run('update', '--yes', '--json');
    expect(updated.code).toBe(1);
    expect(JSON.parse(updated.stdout)).toMatchObject([{ state: 'failed', version: '1.0.0' }]);
  });
});

describe('a package', () => {
  it('is verified by the keys of its registry', async () => {
    const { home, run } = await open();
    expect(await run('add', '@acme/kit')).toMatchObject({ code: 0 });
    expect(recordedState(home)).toBe('verified');
    const shown = await run('show', '@acme/kit', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ signature: 'verified' });
  });

  it('is verified by a key that expires later', async () => {
    const { home, run } = await open({ expires: '2999-01-01T00:00:00.000Z' });
    expect(await run('add', '@acme/kit')).toMatchObject({ code: 0 });
    expect(recordedState(home)).toBe('verified');
  });

  it('is unsigned without a signature, and without keys', async () => {
    const { home, run } = await open({ change: () => undefined });
    expect(await run('add', '@acme/kit')).toMatchObject({ code: 0 });
    expect(recordedState(home)).toBe('unsigned');
    const other = await open();
    writeFileSync(path.join(other.home, '.npmrc'), registry.settings());
    expect(await other.run('add', '@acme/kit')).toMatchObject({ code: 0 });
    expect(recordedState(other.home)).toBe('unsigned');
  });

  it('has no signature if it is a folder', async () => {
    const { home, run } = await open();
    const folder = writeFolder({
      'package.json': { name: 'local', version: '1.0.0', agenttools: { tools: ['tell'] } },
      'agenttools/tools/tell.json': { handler: './tell.js' },
      'tell.js': '',
    });
    expect(await run('add', folder)).toMatchObject({ code: 0 });
    expect(recordedState(home)).toBe(null);
  });
});

describe('an update to a version without a signature', () => {
  it('needs consent, if the version before had a verified one', async () => {
    const { run, setRegistry } = await open();
    await run('add', '@acme/kit@^1');
    await run('install', 'cursor', 'npm:@acme/mcp', '--no-verify');
    await publishKit('1.1.0');
    await registry.publish({
      'package.json': { name: '@acme/mcp', version: '1.3.0', type: 'module', bin: 'server.js' },
      'server.js': ticketsServer,
    });
    await setRegistry({ change: () => undefined });
    const { code, stdout, stderr } = await run('update', '--load', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([{ state: 'held' }, { state: 'held' }]);
    expect(stderr.match(/It has no signature\. The version before had a verified one\./g)).toHaveLength(2);
    expect((await run('update', '--yes')).code).toBe(0);
  });
});

describe('an existing npm server', () => {
  it('is not installed with an invalid signature', async () => {
    const { home, run } = await open({ change: ({ keyid }) => ({ keyid, sig: 'AAAA' }) });
    const { code, stderr } = await run('install', 'cursor', 'npm:@acme/mcp@1.2.0');
    expect(code).toBe(1);
    expect(stderr).toContain('@acme/mcp@1.2.0 has an invalid signature');
    expect(existsSync(path.join(home, '.cursor/mcp.json'))).toBe(false);
    expect(readdirSync(path.join(home, 'agenttools/npm-servers'))).toEqual([]);
  });
});
