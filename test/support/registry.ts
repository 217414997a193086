import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as tar from 'tar';
import { afterFile } from './file-jobs.js';
import { type Files, writeFolder } from './packages.js';
import type { RegistryOptions, RegistryServer } from './registry-server.js';
import { startStandIn } from './registry-stand-in.js';
import { runsAll } from './tier.js';
import { startVerdaccio } from './verdaccio.js';

export interface PublishOptions {
  readonly tag?: string;
  /** Further fields of the version's document, beside those of its package.json. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** Makes the published tarball of the packed one. */
  readonly repack?: (tarball: Buffer) => Buffer;
}

export interface Registry extends Omit<RegistryServer, 'token'> {
  /** Lines of an `.npmrc` that sets npm to it; with the credentials of its one user if asked for. */
  settings(options?: { readonly withCredentials?: boolean; readonly scope?: string }): string;
  /** Publishes a package, which is not packed by npm: its files are what is given. Gives its tarball. */
  publish(files: Files, options?: PublishOptions): Promise<Buffer>;
}

const running = new Set<Registry>();

afterFile(async () => {
  for (const registry of running) await registry.stop();
});

/** Starts an empty registry, which ends with the test file: verdaccio in `npm run test:all`, else one in this process. */
export async function startRegistry(options: RegistryOptions = {}): Promise<Registry> {
  const registry = publishingTo(
    await (runsAll || options.modules !== undefined ? startVerdaccio(options) : startStandIn()),
  );
  running.add(registry);
  return registry;
}

/** Starts an empty registry in this process, which ends with the test file. */
export async function startRegistryHere(): Promise<Registry> {
  const registry = publishingTo(await startStandIn());
  running.add(registry);
  return registry;
}

function publishingTo({ url, token, requests, stop }: RegistryServer): Registry {
  const authorization = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return {
    url,
    settings: ({ withCredentials = false, scope } = {}) =>
      [
        scope === undefined ? `registry=${url}` : `${scope}:registry=${url}`,
        ...(withCredentials ? [`//${new URL(url).host}/:_authToken=${token}`] : []),
        '',
      ].join('\n'),
    publish: async (files, { tag = 'latest', document, repack = (packed: Buffer) => packed } = {}) => {
      const tarball = repack(await pack(files));
      const manifest = manifestOf(files);
      const body = JSON.stringify(publication({ manifest: { ...manifest, ...document }, tarball, url, tag }));
      const address = `${url}${manifest.name.replace('/', '%2f')}`;
      const response = await fetch(address, { method: 'PUT', headers: authorization, body });
      if (!response.ok) throw new Error(`${manifest.name}: ${response.status} ${await response.text()}`);
      return tarball;
    },
    requests,
    async stop() {
      running.delete(this);
      await stop();
    },
  };
}

type PackageManifest = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly version: string;
};

function manifestOf(files: Files): PackageManifest {
  const held = files['package.json'];
  return (typeof held === 'string' ? JSON.parse(held) : held) as PackageManifest;
}

/** A tarball as npm makes them: everything below `package/`. */
export async function pack(files: Files): Promise<Buffer> {
  const folder = writeFolder(
    Object.fromEntries(Object.entries(files).map(([name, held]) => [`package/${name}`, held])),
  );
  const file = path.join(folder, 'package.tgz');
  await tar.create({ gzip: true, file, cwd: folder, portable: true }, ['package']);
  return readFileSync(file);
}

/** Writes the tarball of a package into a new folder; gives its path. */
export async function packToFile(files: Files): Promise<string> {
  const folder = writeFolder();
  const file = path.join(folder, 'package.tgz');
  writeFileSync(file, await pack(files));
  return file;
}

interface Publication {
  readonly manifest: PackageManifest;
  readonly tarball: Buffer;
  readonly url: string;
  readonly tag: string;
}

/** What npm sends when it publishes. */
function publication({ manifest, tarball, url, tag }: Publication) {
  const { name, version } = manifest;
  const file = `${name.replace(/^@[^/]+\//, '')}-${version}.tgz`;
  const dist = {
    shasum: createHash('sha1').update(tarball).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    tarball: `${url}${name}/-/${file}`,
  };
  return {
    _id: name,
    name,
    'dist-tags': { [tag]: version },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
    _attachments: {
      [file]: {
        content_type: 'application/octet-stream',
        data: tarball.toString('base64'),
        length: tarball.length,
      },
    },
  };
}
