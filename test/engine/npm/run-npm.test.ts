import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { isDead, thisProcess } from '../../../src/engine/base/files/lock-holder.js';
import type { NpmDeps } from '../../../src/engine/npm/npm-dependencies.js';
import { NpmError, readNpmFailure } from '../../../src/engine/npm/npm-error.js';
import { runNpm } from '../../../src/engine/npm/run-npm.js';
import { type NpmSettings, readNpmSettings } from '../../../src/engine/npm/settings.js';
import { addFiles, packageJson, writeFolder } from '../../support/packages.js';
import { type Registry, startRegistry } from '../../support/registry.js';
import { runsAll } from '../../support/tier.js';

let registry: Registry;
const trace = path.join(writeFolder(), 'trace');

beforeAll(async () => {
  registry = await startRegistry();
  const scripts = { install: `node -e "require('fs').writeFileSync('${trace}', '')"` };
  await registry.publish({ 'package.json': packageJson({}, { scripts }), 'a.js': '' });
  await registry.publish({ 'package.json': packageJson({}, { name: '@private/kit' }) });
}, 60_000);

function settingOf(home: string, more: Partial<NpmDeps> = {}): NpmDeps {
  const env = { PATH: process.env.PATH, npm_config_cache: path.join(home, 'npm-cache') };
  const allowOutgoing = async () => true;
  return { env, home, platform: process.platform, execPath: process.execPath, allowOutgoing, ...more };
}

/** An npm that writes down how it was called, and what it is set to by the file in its folder. */
async function recordedRun(project: string) {
  const bin = writeFolder({
    'npm-cli.js': `
      const { copyFileSync, existsSync, statSync, writeFileSync } = require('node:fs');
      const file = require('node:path').join(process.cwd(), '.npmrc');
      const mode = existsSync(file) ? statSync(file).mode & 0o777 : undefined;
      writeFileSync(__dirname + '/called.json', JSON.stringify({ argv: process.argv, env: process.env, mode }));
      if (mode !== undefined) copyFileSync(file, __dirname + '/copy.npmrc');
      process.exitCode = 1;`,
  });
  chmodSync(path.join(bin, 'npm-cli.js'), 0o755);
  symlinkSync(path.join(bin, 'npm-cli.js'), path.join(bin, 'npm'));
  const home = writeFolder();
  const cwd = writeFolder({ 'package.json': '{}', '.npmrc': project });
  const folder = writeFolder({ 'package.json': '{}' });
  const setting = settingOf(home, { env: { PATH: bin, TOKEN: 't0ken' }, cwd });
  await expect(runNpm(['install'], { folder, setting })).rejects.toBeInstanceOf(NpmError);
  expect(readdirSync(folder)).toEqual(['package.json']);
  const { argv, env, mode } = JSON.parse(readFileSync(path.join(bin, 'called.json'), 'utf8'));
  const copy = path.join(bin, 'copy.npmrc');
  return {
    argv: argv as string[],
    env,
    mode,
    npmrc: existsSync(copy) ? readFileSync(copy, 'utf8') : '',
    cwd,
  };
}

describe('npm settings of a project', () => {
  const secrets = [
    'registry=https://ada:pa55word@r.example/',
    '@my_scope:registry=https://ada:pa55word@s.example/',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm fills it in.
    '//r.example/:_authToken=${TOKEN}-pa55word',
    '//r.example/:certfile=./client.crt',
    'https-proxy=http://ada:pa55word@proxy.example/',
    'noproxy=a.example,b.example',
    'key="-----BEGIN-----\\npa55word"',
    'ca[]="first\\nca"',
    'ca[]="second\\nca"',
    'strict-ssl=false',
    'ignore-scripts=false',
  ].join('\n');

  it('is neither on the command line nor in variables, and is gone when npm has failed', async () => {
    const { argv, env, mode, npmrc } = await recordedRun(secrets);
    expect(JSON.stringify([argv, env])).not.toContain('pa55word');
    expect(npmrc).toContain('pa55word');
    expect(npmrc).not.toContain('ignore-scripts');
    expect(mode).toBe(0o600);
  });

  it('is to npm what it is in the project', async () => {
    const { npmrc, cwd } = await recordedRun(secrets);
    const folder = writeFolder({ 'package.json': '{}', '.npmrc': npmrc });
    const again = await readNpmSettings(settingOf(writeFolder(), { env: { TOKEN: 'other' }, cwd: folder }));
    const first = await readNpmSettings(settingOf(writeFolder(), { env: { TOKEN: 't0ken' }, cwd }));
    expect(again.project).toEqual(first.project);
    expect(again.project).toMatchObject({
      ca: ['first\nca', 'second\nca'],
      '//r.example/:_authToken': 't0ken-pa55word',
      '//r.example/:certfile': path.join(cwd, 'client.crt'),
    });
  });

  const variable = '$'.concat('{TOKEN}');
  const values = [variable, `a\\${variable}`, `\\\\${variable}`, '${', 'a;b#c', '" \'', 'null'];

  describe('keeps a value that looks like something else:', () => {
    let said: NpmSettings['project'];
    let kept: NpmSettings['project'];

    beforeAll(async () => {
      const lines = values.map((value, index) => `${keyOf(index)}=${JSON.stringify(value)}\n`);
      const { npmrc, cwd } = await recordedRun(lines.join(''));
      const folder = writeFolder({ 'package.json': '{}', '.npmrc': npmrc });
      const held = async (at: string, env: Record<string, string>) =>
        (await readNpmSettings(settingOf(writeFolder(), { env, cwd: at }))).project;
      kept = await held(folder, { TOKEN: variable });
      said = await held(cwd, { TOKEN: 't0ken' });
    });

    const keyOf = (index: number) => `//r${index}.example/:_authToken`;

    // To npm, null is no value.
    it.each([...values.entries()])('%i, %s', (index, value) => {
      expect(typeof said[keyOf(index)]).toBe(value === 'null' ? 'undefined' : 'string');
      expect(kept[keyOf(index)]).toEqual(said[keyOf(index)]);
    });
  });

  it('is omitted if empty', async () => {
    expect((await recordedRun('save=false\n')).mode).toBeUndefined();
  });
});

describe('npm', () => {
  it('installs from the registry of the user and runs no scripts, even if the settings allow them', async () => {
    const home = writeFolder({
      '.npmrc': `${registry.settings()}ignore-scripts=false\npackage-lock=false\n`,
    });
    const folder = writeFolder({ 'package.json': '{}' });
    const env = { ...settingOf(home).env, HOME: home, npm_config_global: 'true' };
    await runNpm(['install', '@acme/kit'], { folder, setting: settingOf(home, { env }) });
    expect(existsSync(path.join(folder, 'node_modules/@acme/kit/a.js'))).toBe(true);
    expect(existsSync(trace)).toBe(false);
    // npm by itself does run them.
    const plain = writeFolder({ 'package.json': '{}' });
    await promisify(execFile)('npm', ['install', '@acme/kit', '--ignore-scripts=false', '--no-global'], {
      cwd: plain,
      env: { ...env, npm_config_global: 'false' },
    });
    expect(existsSync(trace)).toBe(true);
    rmSync(trace);
    const lock = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
    expect(lock.packages['node_modules/@acme/kit'].integrity).toMatch(/^sha512-/);
  });

  it('uses the registries and credentials of the project in another folder', async () => {
    const home = writeFolder({ '.npmrc': 'registry=http://127.0.0.1:9/\n' });
    const project = writeFolder({ 'package.json': '{}' });
    addFiles(project, { '.npmrc': registry.settings({ scope: '@private', withCredentials: true }) });
    const folder = writeFolder({ 'package.json': '{}' });
    const env = { ...settingOf(home).env, HOME: home };
    await runNpm(['install', '@private/kit'], { folder, setting: settingOf(home, { env, cwd: project }) });
    expect(existsSync(path.join(folder, 'node_modules/@private/kit/package.json'))).toBe(true);
  });

  it('uses the settings of the machine', async () => {
    const home = writeFolder();
    const folder = writeFolder({ 'package.json': '{}' });
    const env = {
      ...settingOf(home).env,
      HOME: home,
      PREFIX: writeFolder({ 'etc/npmrc': registry.settings() }),
    };
    await runNpm(['install', '@acme/kit'], { folder, setting: settingOf(home, { env }) });
    expect(existsSync(path.join(folder, 'node_modules/@acme/kit/a.js'))).toBe(true);
  });

  it.each([
    ['@acme/none', 'E404', /@acme%2fnone.*npm config get registry/s],
    ['@acme/kit@9', 'ETARGET', /No matching version found for @acme\/kit@9\..*npm view/s],
    ['@private/kit', 'E401', /npm login/],
  ])('explains why it could not install %s', async (spec, npmCode, message) => {
    const home = writeFolder({ '.npmrc': registry.settings() });
    const folder = writeFolder({ 'package.json': '{}' });
    const env = { ...settingOf(home).env, HOME: home };
    const running = runNpm(['install', spec], { folder, setting: settingOf(home, { env }) });
    await expect(running).rejects.toMatchObject({ npmCode, message: expect.stringMatching(message) });
    await expect(running).rejects.toBeInstanceOf(NpmError);
  });

  it('gives up on an unreachable registry', async () => {
    const home = writeFolder({ '.npmrc': 'registry=http://127.0.0.1:9/\n' });
    const folder = writeFolder({ 'package.json': '{}' });
    const env = { ...settingOf(home).env, HOME: home };
    const running = runNpm(['install', '@acme/kit'], { folder, setting: settingOf(home, { env }) });
    await expect(running).rejects.toMatchObject({
      npmCode: 'ECONNREFUSED',
      message: expect.stringContaining('cannot be reached. Try again when you are online'),
    });
  }, 30_000);

  const otherwise = [
    ...['global=true', 'location=global', 'json=true'],
    ...['package-lock-only=true', 'lockfile-version=1', 'usage=true'],
  ];

  // npm takes only one of these at a time.
  const saves = ['save-dev=true', 'save-optional=true', 'save-peer=true', 'save-prod=true'];

  it.each<readonly [string, readonly string[]]>([
    ...saves
      .slice(0, runsAll ? undefined : 1)
      .map((save) => [`${save} and all else that changes it`, [save, ...otherwise]] as const),
    // Alone, too: global=true may hide it.
    ['location=global', ['location=global']],
  ])('follows its arguments, even if the user has set %s', async (_, lines) => {
    const home = writeFolder({ '.npmrc': ['registry=http://127.0.0.1:9/', ...lines, ''].join('\n') });
    const project = writeFolder({ 'package.json': '{}', '.npmrc': registry.settings() });
    const folder = writeFolder({ 'package.json': '{}' });
    const setting = settingOf(home, { env: { ...settingOf(home).env, HOME: home }, cwd: project });
    await runNpm(['install', '--save', '@acme/kit'], { folder, setting });
    const { dependencies } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    expect(Object.keys(dependencies)).toEqual(['@acme/kit']);
    expect(existsSync(path.join(folder, 'node_modules/@acme/kit/a.js'))).toBe(true);
    const lock = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
    expect(lock.packages['node_modules/@acme/kit'].integrity).toMatch(/^sha512-/);
    const failing = runNpm(['install', '@acme/none'], { folder, setting });
    await expect(failing).rejects.toMatchObject({ npmCode: 'E404' });
  });

  it('knows who it works for, and has bounds', async () => {
    const { env } = await recordedRun('');
    expect(decodeURIComponent(env.NODE_OPTIONS)).toContain(`process.kill(${process.pid}, 0)`);
  });

  it('waits for what does not answer as long as the user has set, else not for minutes', async () => {
    const { argv, env } = await recordedRun('');
    expect(argv).toContain('--fetch-timeout=20000');
    expect(env).toMatchObject({ GIT_HTTP_LOW_SPEED_LIMIT: '1', GIT_HTTP_LOW_SPEED_TIME: '20' });
    const patient = await recordedRun('fetch-timeout=600000\n');
    expect(patient.argv).toContain('--fetch-timeout=600000');
  });

  it('gives up on a registry that does not answer', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const home = writeFolder({
      '.npmrc': `registry=http://127.0.0.1:${port}/\nfetch-timeout=200\nfetch-retries=0\n`,
    });
    const folder = writeFolder({ 'package.json': '{}' });
    const setting = settingOf(home, { env: { ...settingOf(home).env, HOME: home } });
    const running = runNpm(['install', '@acme/kit'], { folder, setting });
    await expect(running).rejects.toBeInstanceOf(NpmError);
    silent.close();
  }, 30_000);

  it('is missed by name', async () => {
    const home = writeFolder();
    const setting = settingOf(home, { env: { PATH: '' }, execPath: path.join(home, 'bin/node') });
    await expect(runNpm(['install'], { folder: home, setting })).rejects.toThrow('npm cannot be found');
  });

  it('takes words after -- as packages, not options', async () => {
    const home = writeFolder({ '.npmrc': registry.settings() });
    const env = { ...settingOf(home).env, HOME: home };
    const running = runNpm(['install', '--', '--version'], {
      folder: writeFolder({ 'package.json': '{}' }),
      setting: settingOf(home, { env }),
    });
    await expect(running).rejects.toBeInstanceOf(NpmError);
  });

  it('is named in the error if it cannot run', async () => {
    const home = writeFolder({ 'bin/sh': '' });
    addFiles(home, { 'bin/npm': `#!${path.join(home, 'bin/sh')}\n` });
    chmodSync(path.join(home, 'bin/npm'), 0o755);
    const setting = settingOf(home, { env: { PATH: path.join(home, 'bin') } });
    await expect(runNpm(['install'], { folder: home, setting })).rejects.toMatchObject({
      code: 'failed',
      message: `${path.join(home, 'bin/npm')} cannot be run (EACCES). Check that it is a program that you may execute.`,
    });
  });
});

describe('npm that is not wanted any more', () => {
  /** What stands in for npm: programs that would run for an hour. */
  const shims = {
    'that starts another program': 'sleep 3600 & echo $$ $! > pids; wait',
    'that does not hear': "trap '' TERM; sleep 3600 & echo $$ $! > pids; wait; wait",
    'that has ended, save for what it started': 'sleep 3600 & echo $! > pids',
  };

  it.each(Object.entries(shims))(
    '%s ends',
    async (_, script) => {
      const home = writeFolder({ 'bin/npm': `#!/bin/sh\n${script}\n` });
      chmodSync(path.join(home, 'bin/npm'), 0o755);
      const setting = settingOf(home, { env: { PATH: `${home}/bin:${process.env.PATH}` } });
      const control = new AbortController();
      const running = runNpm([], { folder: home, setting, signal: control.signal }).catch((error) => error);
      const pids = await vi.waitFor(() => pidsIn(home), 20_000);
      control.abort(new Error('no more'));
      await running;
      await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 20_000);
    },
    60_000,
  );
});

function pidsIn(folder: string): readonly number[] {
  const text = readFileSync(path.join(folder, 'pids'), 'utf8');
  expect(text).toMatch(/\n$/);
  return text.trim().split(' ').map(Number);
}

function isRunning(pid: number): boolean {
  const { host, namespace } = thisProcess();
  return !isDead({ host, pid, ...(namespace && { namespace }) });
}

describe('error output of npm', () => {
  it.each([
    [
      'npm error code ENOTFOUND\nnpm error syscall getaddrinfo\nnpm error errno ENOTFOUND\nnpm error network request to https://r.example/a failed\nnpm error A complete log of this run can be found in: /x',
      { code: 'ENOTFOUND', reason: 'network request to https://r.example/a failed' },
    ],
    ['npm ERR! code E404\nnpm ERR! 404 Not Found - GET x\n', { code: 'E404', reason: 'Not Found - GET x' }],
    [
      'npm error code ECONNREFUSED\nnpm error request to http://ada:pa55@word@r.example/@acme%2fkit failed\n',
      { code: 'ECONNREFUSED', reason: 'request to http://r.example/@acme%2fkit failed' },
    ],
    [
      "npm error code ENOENT\nnpm error enoent ENOENT: no such file or directory, open '/x'\n",
      { code: 'ENOENT', reason: "ENOENT: no such file or directory, open '/x'" },
    ],
    ['Segmentation fault\n', { code: undefined, reason: 'Segmentation fault' }],
    ['', { code: undefined, reason: 'npm printed no reason' }],
  ])('%j', (stderr, expected) => {
    expect(readNpmFailure(stderr)).toEqual(expected);
  });
});

describe('a failure of npm', () => {
  it('has the code of a package or version that does not exist', () => {
    const codes = ['E404', 'ETARGET', 'EACCES'].map((code) => new NpmError({ code, reason: 'no' }).code);
    expect(codes).toEqual(['not-found', 'not-found', 'failed']);
  });

  it.each([
    [['E401', 'E403', 'ENEEDAUTH', 'EOTP'], ' Log in to the registry with: npm login.'],
    [['E404'], ' Check the name'],
    [['ETARGET', 'EINVALIDTAGNAME'], ' See its versions with: npm view'],
    [['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ECONNRESET'], ' The registry cannot be reached.'],
    [['ETIMEDOUT', 'ENETUNREACH', 'ENOTCACHED'], ' The registry cannot be reached.'],
    [['EINTEGRITY'], ' The download differs from the published'],
    [['ENOSPC'], ' The disk is full.'],
    [['EACCES', 'EPERM', 'EROFS'], ' The folder is not writable.'],
  ])('with the code %j gives advice', (codes, advice) => {
    for (const code of codes) {
      const { message } = new NpmError({ code, reason: 'it broke' });
      expect(message, code).toContain(`npm failed: it broke.${advice}`);
    }
  });

  it('with another code gives its reason only', () => {
    for (const code of ['ESTRANGE', undefined])
      expect(new NpmError({ code, reason: 'it broke' }).message).toBe('npm failed: it broke.');
  });
});
