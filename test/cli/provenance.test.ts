import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import recording from '../recorded-provenance.json' with { type: 'json' };
import { writeFolder } from '../support/packages.js';
import { type Registry, startRegistry } from '../support/registry.js';
import { runAtHome } from '../support/run-cli.js';
import { startSigningRegistry } from '../support/signing-registry.js';

vi.mock('../../src/engine/npm/run-to-exit.js', async (original) => {
  const { withNpmInProcess } = await import('../support/npm-in-process.js');
  return withNpmInProcess(await original());
});

type Bundle = (typeof recording.packages)[number]['attestations'][number]['bundle'];
type Change = (bundle: Bundle, label: string) => object | undefined;

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry();
  for (const { packageJson, tarball } of recording.packages) {
    const document = { _npmUser: { name: packageJson.version === '1.2.0' ? 'mallory' : 'ada' } };
    const repack = () => Buffer.from(tarball, 'base64');
    await registry.publish({ 'package.json': packageJson }, { document, repack });
  }
});

const recorded = (label: string) =>
  recording.packages.find(({ packageJson: { name, version } }) => `${name}@${version}` === label)!
    .attestations;
const bundleOf = (label: string) => recorded(label)[0]!.bundle;

/** A user who has the keys of the recorded Sigstore, and whose registry has its attestations. */
async function open(
  change: Change = (bundle) => bundle,
  keys: Readonly<Record<string, string>> = recording.keys,
) {
  const attestations = (label: string) => {
    const found = recorded(label).flatMap(({ predicateType, bundle }) => {
      const changed = change(structuredClone(bundle), label);
      return changed ? [{ predicateType, bundle: changed }] : [];
    });
    return found.length > 0 ? found : undefined;
  };
  const url = await startSigningRegistry(registry, { attestations });
  const trusted = 'agenttools/sigstore/tuf-repo-cdn.sigstore.dev';
  const files = Object.entries(keys).map(([name, text]) => [`${trusted}/${name}`, text]);
  const home = writeFolder({ '.npmrc': `registry=${url}\n`, ...Object.fromEntries(files) });
  const run = async (...words: readonly string[]) =>
    await runAtHome(home, words, {
      PATH: process.env.PATH!,
      AGENTTOOLS_MCP_REGISTRY: 'none',
      // Nothing is asked for newer keys.
      HTTPS_PROXY: 'http://127.0.0.1:9',
    });
  return { home, run };
}

const isAdded = (home: string) => existsSync(path.join(home, 'agenttools/packages/node_modules/@acme/kit'));

describe('a package with provenance', () => {
  it('is shown with its repository and commit', async () => {
    const { run } = await open();
    expect(await run('add', '@acme/kit@1.0.0', '--require-provenance')).toMatchObject({ code: 0 });
    const { stdout } = await run('show', '@acme/kit', '--json');
    expect(JSON.parse(stdout).builtFrom).toEqual({
      repository: 'https://github.com/acme/kit',
      commit: 'a'.repeat(40),
      workflow: 'https://github.com/acme/kit/.github/workflows/publish.yml@refs/tags/v1.0.0',
    });
    expect((await run('show', '@acme/kit')).stdout).toContain('https://github.com/acme/kit');
  });

  it('is updated without a question from the same repository', async () => {
    const { run } = await open();
    await run('add', '@acme/kit@1.0.0');
    await run('add', '@acme/kit@~1.0.0 || 1.1.0');
    const { stdout } = await run('show', '@acme/kit', '--json');
    expect(JSON.parse(stdout).builtFrom.commit).toBe('b'.repeat(40));
  });

  it('is added again from another repository with a warning', async () => {
    const { run } = await open();
    await run('add', '@acme/kit@1.0.0');
    const { stderr } = await run('add', '@acme/kit@1.2.0');
    expect(stderr).toContain('warning: It was built from https://github.com/stranger/kit, and before from');
    expect(stderr).toContain('warning: It was published by mallory, and before by ada.');
  });

  it('is not updated without consent to another repository or publisher', async () => {
    const { home, run } = await open();
    await run('add', '@acme/kit@1.0.0');
    rewriteWanted(home, '1.2.0');
    const { code, stderr, stdout } = await run('update', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([{ state: 'held' }]);
    expect(stderr).toContain('it has another publisher or build.');
    expect(stderr).toContain('It was published by mallory, and before by ada.');
    expect(stderr).toContain(
      'It was built from https://github.com/stranger/kit, and before from https://github.com/acme/kit.',
    );
    expect((await run('update', '--yes')).code).toBe(0);
  });

  it('is not updated without consent to a version without provenance', async () => {
    const { home, run } = await open((bundle, label) => (label === '@acme/kit@1.1.0' ? undefined : bundle));
    await run('add', '@acme/kit@1.0.0');
    rewriteWanted(home, '1.1.0');
    const { code, stderr } = await run('update');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'It has no verified provenance. Before, it was built from https://github.com/acme/kit.',
    );
    const required = await run('update', '--yes', '--require-provenance', '--json');
    expect(JSON.parse(required.stdout)).toMatchObject([{ state: 'failed', version: '1.0.0' }]);
  });
});

/** Follows another version from now on. */
function rewriteWanted(home: string, wanted: string): void {
  const installed = path.join(home, 'agenttools/installed');
  const [folder] = readdirSync(installed).filter((name) => !name.startsWith('.'));
  const file = path.join(installed, folder!, 'added.json');
  const record = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...record, wanted: { ...record.wanted, wanted } }));
}

/** The payload of a bundle with a changed statement. */
function withStatement(bundle: Bundle, change: object): Bundle {
  const statement = JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString());
  const payload = Buffer.from(JSON.stringify({ ...statement, ...change })).toString('base64');
  return { ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload } };
}

const { certificate: stranger } = bundleOf('@acme/kit@1.2.0').verificationMaterial;

/** Forged attestations, with the reason in the message. */
const forgeries: Readonly<Record<string, readonly [version: string, reason: string, Change?]>> = {
  'of another version': ['1.0.0', 'it is of other files', () => bundleOf('@acme/kit@1.1.0')],
  'with a changed statement': [
    '1.0.0',
    'Sigstore rejects it',
    (bundle) => withStatement(bundle, { predicate: {} }),
  ],
  'by another certificate authority': ['3.0.0', 'Sigstore rejects it'],
  'by a person': ['2.0.0', 'its certificate names no repository, so it is not of a build service'],
  'with the certificate of another build': [
    '1.0.0',
    'Sigstore rejects it',
    (bundle) => ({
      ...bundle,
      verificationMaterial: { ...bundle.verificationMaterial, certificate: stranger },
    }),
  ],
  'with two certificates': [
    '1.0.0',
    'it is not a bundle of Sigstore with one certificate',
    (bundle) => ({
      ...bundle,
      verificationMaterial: {
        ...bundle.verificationMaterial,
        x509CertificateChain: { certificates: [stranger] },
      },
    }),
  ],
  'without an entry in the log': [
    '1.0.0',
    'Sigstore rejects it',
    (bundle) => ({ ...bundle, verificationMaterial: { ...bundle.verificationMaterial, tlogEntries: [] } }),
  ],
  'that is a message': ['1.0.0', 'it is not a bundle', () => ({ messageSignature: {} })],
};

describe.each(Object.entries(forgeries))('a provenance %s', (_, [version, reason, change]) => {
  it('is refused, also if none is required', async () => {
    const { home, run } = await open(change);
    const { code, stderr } = await run('add', `@acme/kit@${version}`);
    expect(stderr).toContain(`@acme/kit@${version} has an invalid provenance: ${reason}`);
    expect(code).toBe(1);
    expect(isAdded(home)).toBe(false);
  });
});

describe('--require-provenance', () => {
  it('refuses a package without an attestation', async () => {
    const { home, run } = await open(() => undefined);
    const { code, stderr } = await run('add', '@acme/kit@1.0.0', '--require-provenance');
    expect(code).toBe(1);
    expect(stderr).toContain('@acme/kit@1.0.0 has no provenance');
    expect(isAdded(home)).toBe(false);
    expect((await run('add', '@acme/kit@1.0.0')).code).toBe(0);
    const { stdout } = await run('show', '@acme/kit', '--json');
    expect(JSON.parse(stdout)).not.toHaveProperty('builtFrom');
  });

  it('refuses a package whose attestation cannot be checked, which is a warning without it', async () => {
    const { home, run } = await open(undefined, { 'root.json': '{}' });
    const { code, stderr } = await run('add', '@acme/kit@1.0.0', '--require-provenance');
    expect(code).toBe(1);
    expect(stderr).toContain('cannot be checked: the keys of Sigstore cannot be loaded');
    expect(isAdded(home)).toBe(false);
    const added = await run('add', '@acme/kit@1.0.0');
    expect(added.code).toBe(0);
    expect(added.stderr).toContain('warning: The provenance of @acme/kit@1.0.0 cannot be checked');
  });

  it('refuses a folder', async () => {
    const { run } = await open();
    const folder = writeFolder({
      'package.json': { name: 'local', version: '1.0.0', agenttools: { tools: [] } },
    });
    const { code, stderr } = await run('add', folder, '--require-provenance');
    expect(code).toBe(1);
    expect(stderr).toContain('local has no provenance');
  });

  it('holds for install', async () => {
    const { home, run } = await open();
    const words = ['install', 'cursor', '--no-verify', '--require-provenance'];
    const server = await run(...words, 'npm:@acme/mcp');
    expect(server.stderr).toContain(
      `It was built from https://github.com/acme/mcp, commit ${'e'.repeat(40)}.`,
    );
    expect(server.code).toBe(0);
    const without = await open(() => undefined);
    await without.run('add', '@acme/kit@1.0.0');
    for (const reference of ['npm:@acme/mcp', '@acme/kit', 'https://mcp.example/mcp']) {
      const { code, stderr } = await without.run(...words, reference);
      expect(stderr).toMatch(/provenance/);
      expect(code).toBe(1);
    }
    expect(existsSync(path.join(without.home, '.cursor/mcp.json'))).toBe(false);
    expect(existsSync(path.join(home, '.cursor/mcp.json'))).toBe(true);
    await without.run('install', 'cursor', '--no-verify', 'npm:@acme/mcp');
    expect((await without.run(...words, 'npm:@acme/mcp')).code).toBe(1);
  });
});
