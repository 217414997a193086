// biome-ignore-all lint/suspicious/noTemplateCurlyInString: npm fills in variables.
import { describe, expect, it } from 'vitest';
import type { NpmDeps, OutgoingSettings } from '../../../src/engine/npm/npm-dependencies.js';
import { readNpmSettings } from '../../../src/engine/npm/settings.js';
import { type Files, writeFolder } from '../../support/packages.js';

async function settingsOf(
  user: string,
  {
    project,
    env = {},
    allowOutgoing,
  }: {
    readonly project?: Files;
    readonly env?: Record<string, string>;
    readonly allowOutgoing?: NpmDeps['allowOutgoing'];
  } = {},
) {
  const home = writeFolder({ '.npmrc': user });
  const setting = { env, home, platform: 'linux', execPath: process.execPath } as const;
  return await readNpmSettings({
    ...setting,
    ...(project && { cwd: writeFolder(project) }),
    ...(allowOutgoing && { allowOutgoing }),
  });
}

describe('the settings of npm', () => {
  it('name the default registry first, then the registries of scopes', async () => {
    const { registries } = await settingsOf(
      'registry=https://all.example\n@acme:registry=https://acme.example/npm/\n',
    );
    expect(registries).toEqual([
      { url: 'https://all.example/' },
      { url: 'https://acme.example/npm/', scope: '@acme' },
    ]);
  });

  it('are overruled by the project and by variables', async () => {
    const project = { 'package.json': '{}', '.npmrc': '@acme:registry=https://project.example/' };
    const env = { npm_config_registry: 'https://variable.example/' };
    const { registries } = await settingsOf('registry=https://user.example/\n', { project, env });
    expect(registries).toEqual([
      { url: 'https://variable.example/' },
      { url: 'https://project.example/', scope: '@acme' },
    ]);
  });

  it('fail if they name an unreadable file', async () => {
    const failure = settingsOf('cafile=/\n');
    await expect(failure).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining('EISDIR'),
    });
  });

  it('fill in variables of the environment', async () => {
    const { options } = await settingsOf('//all.example/:_authToken=${TOKEN}\n', { env: { TOKEN: 't0ken' } });
    expect(options['//all.example/:_authToken']).toBe('t0ken');
  });

  it('separate the project settings for registries and connections', async () => {
    const npmrc = [
      'registry=https://project.example/',
      '@acme:registry=https://acme.example/',
      '//acme.example/:_authToken=t0ken',
      'strict-ssl=false',
      'ignore-scripts=false',
      'prefix=/elsewhere',
      'save=false',
    ];
    const files = { 'package.json': '{}', '.npmrc': npmrc.join('\n') };
    const { project } = await settingsOf('https-proxy=http://proxy.example/\n', {
      project: files,
      allowOutgoing: async () => true,
    });
    expect(project).toEqual({
      registry: 'https://project.example/',
      '@acme:registry': 'https://acme.example/',
      '//acme.example/:_authToken': 't0ken',
      'strict-ssl': 'false',
    });
    expect((await settingsOf('registry=https://user.example/\n')).project).toEqual({});
  });

  it('ignore project settings that npm reads as a section', async () => {
    const files = { 'package.json': '{}', '.npmrc': '//acme.example/:_authToken=null\n@acme:registry=\n' };
    const { project, registries } = await settingsOf('registry=https://user.example/\n', { project: files });
    expect(project).toEqual({ '@acme:registry': '' });
    expect(registries).toEqual([{ url: 'https://user.example/' }]);
  });

  it('apply settings of the project that send variables or change routes only if they are allowed', async () => {
    const npmrc = [
      '@acme:registry=https://acme.example/',
      '//acme.example/:_authToken=${TOKEN}',
      '//evil.example/${OTHER}/:_authToken=x',
      '@evil:registry=https://evil.example/?a=${OTHER?}',
      'https-proxy=http://user:secret@proxy.example:8080',
      'strict-ssl=false',
      'ca[]=none',
      '//open.example/:_authToken=plain',
    ];
    const env = { TOKEN: 't0ken', OTHER: '0ther' };
    const project = { 'package.json': '{}', '.npmrc': npmrc.join('\n') };
    const asked: OutgoingSettings[] = [];
    const allow = (answer: boolean) => async (outgoing: OutgoingSettings) => {
      asked.push(outgoing);
      return answer;
    };
    const refused = await settingsOf('', { project, env, allowOutgoing: allow(false) });
    expect(refused.project).toEqual({
      '@acme:registry': 'https://acme.example/',
      '//open.example/:_authToken': 'plain',
    });
    expect(JSON.stringify(refused)).not.toMatch(/t0ken|0ther|proxy\.example/);
    expect(refused.options).toMatchObject({ strictSSL: true });
    expect((await settingsOf('', { project, env })).project).toEqual(refused.project);
    expect(asked[0]!.file).toMatch(/\.npmrc$/);
    expect(asked[0]!.settings).toEqual([
      { key: '//acme.example/:_authToken', variables: ['TOKEN'], host: 'acme.example' },
      {
        key: '//evil.example/0ther/:_authToken',
        variables: expect.arrayContaining(['OTHER']),
        host: 'evil.example',
      },
      { key: '@evil:registry', variables: ['OTHER'], host: 'evil.example' },
      { key: 'https-proxy', variables: [], host: 'proxy.example:8080' },
      { key: 'strict-ssl', variables: [], host: undefined },
      { key: 'ca', variables: [], host: undefined },
    ]);
    const allowed = await settingsOf('', { project, env, allowOutgoing: allow(true) });
    expect(allowed.project).toMatchObject({ '//acme.example/:_authToken': 't0ken', 'strict-ssl': 'false' });
  });

  it('apply variables in the own settings of the user without a question', async () => {
    const allowOutgoing = async () => expect.unreachable();
    const { options } = await settingsOf('//a.example/:_authToken=${TOKEN}\n', {
      project: { 'package.json': '{}', '.npmrc': 'save=false\n' },
      env: { TOKEN: 't0ken' },
      allowOutgoing,
    });
    expect(options['//a.example/:_authToken']).toBe('t0ken');
  });

  it('report contradictions', async () => {
    await expect(settingsOf('save-dev=true\nsave-optional=true\n')).rejects.toThrow(
      /^The settings of npm cannot be read: --save-(dev|optional) cannot be provided .*\. See them with: npm config list$/,
    );
  });

  it('leave the environment as it was', async () => {
    const env = { TOKEN: 'x' };
    await settingsOf('', { env });
    expect(env).toEqual({ TOKEN: 'x' });
  });
});
