import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { writeFolder } from './packages.js';
import type { RegistryOptions, RegistryServer } from './registry-server.js';

/** Starts a verdaccio on 127.0.0.1 without a registry behind it. */
export async function startVerdaccio(options: RegistryOptions): Promise<RegistryServer> {
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
  const url = `http://127.0.0.1:${await portOf(child)}/`;
  return {
    url,
    token: await newUser(url),
    requests: () =>
      [...readFileSync(path.join(folder, 'log.json'), 'utf8').matchAll(/"request":(\{[^}]*\})/g)].map(
        ([, text]) => {
          const { method, url: asked } = JSON.parse(text!) as { method: string; url: string };
          return `${method} ${asked}`;
        },
      ),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((done) => child.once('exit', done));
      child.kill();
      await ended;
    },
  };
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
