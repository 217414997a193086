import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as tar from 'tar';
import { afterAll } from 'vitest';
import { type Files, writeFolder } from './packages.js';

export interface RegistryOptions {
  /** The Node that runs it; the one that runs the tests unless told. */
  readonly node?: string;
  /** The `node_modules` that verdaccio is in; ours unless told. */
  readonly modules?: string;
}

export interface PublishOptions {
  readonly tag?: string;
  /** Further fields of the version's document, beside those of its package.json. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** What is published in place of the tarball that would be. */
  readonly repack?: (tarball: Buffer) => Buffer;
}

/** A verdaccio on 127.0.0.1 without a registry behind it. `@private/*` is for those who log in. */
export interface Registry {
  readonly url: string;
  /** Lines of an `.npmrc` that sets npm to it; with the credentials of its one user if asked for. */
  settings(options?: { readonly withCredentials?: boolean; readonly scope?: string }): string;
  /** Publishes a package, which is not packed by npm: its files are what is given. Gives its tarball. */
  publish(files: Files, options?: PublishOptions): Promise<Buffer>;
  /** What was asked of it so far, such as `GET /-/v1/search?text=…`. */
  requests(): readonly string[];
  stop(): Promise<void>;
}

const running = new Set<Registry>();

afterAll(async () => {
  for (const registry of running) await registry.stop();
});

/** Starts a registry of its own, which ends with the test file. */
export async function startRegistry(options: RegistryOptions = {}): Promise<Registry> {
  const folder = writeFolder({ 'config.yaml': config });
  const resolve = createRequire(path.join(options.modules ?? import.meta.dirname, 'anything.js')).resolve;
  const program = path.join(path.dirname(resolve('verdaccio/package.json')), 'bin/verdaccio');
  const child = fork(program, ['--config', 'config.yaml', '--listen', '127.0.0.1:0'], {
    cwd: folder,
    silent: true,
    ...(options.node !== undefined && { execPath: options.node }),
    execArgv: ['--import', `data:text/javascript,${encodeURIComponent(tellPort)}`],
    env: { PATH: process.env.PATH, HOME: folder },
  });
  const port = await portOf(child);
  const url = `http://127.0.0.1:${port}/`;
  const token = await newUser(url);
  const authorization = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const registry: Registry = {
    url,
    settings: ({ withCredentials = false, scope } = {}) =>
      [
        scope === undefined ? `registry=${url}` : `${scope}:registry=${url}`,
        ...(withCredentials ? [`//127.0.0.1:${port}/:_authToken=${token}`] : []),
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
    requests: () =>
      [...readFileSync(path.join(folder, 'log.json'), 'utf8').matchAll(/"request":(\{[^}]*\})/g)].map(
        ([, text]) => {
          const { method, url: asked } = JSON.parse(text!) as { method: string; url: string };
          return `${method} ${asked}`;
        },
      ),
    stop: async () => {
      running.delete(registry);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((done) => child.once('exit', done));
      child.kill();
      await ended;
    },
  };
  running.add(registry);
  return registry;
}

const config = `
storage: ./storage
auth: { htpasswd: { file: ./htpasswd } }
uplinks: {}
packages:
  '@private/*': { access: $authenticated, publish: $authenticated }
  '**': { access: $all, publish: $authenticated }
max_body_size: 100mb
web: { enable: false }
log: { type: file, path: log.json, level: http, format: json }
`;

/** Runs in verdaccio before it does: it takes any port that is free, but does not say which. */
const tellPort = `
import { Server } from 'node:net';
const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once('listening', () => process.send({ port: this.address().port }));
  return listen.apply(this, args);
};
`;

/** Waits until verdaccio can be asked. */
function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data: Buffer) => {
        said += data.toString();
      });
    }
    child.on('message', (message) => {
      if (typeof message === 'object' && 'port' in message) resolve(Number(message.port));
    });
    child.once('exit', (code) => reject(new Error(`verdaccio ended with ${code}: ${said}`)));
  });
}

async function newUser(url: string): Promise<string> {
  const response = await fetch(`${url}-/user/org.couchdb.user:ada`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'ada', password: 'not-a-secret', email: 'ada@example.com' }),
  });
  return ((await response.json()) as { token: string }).token;
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
