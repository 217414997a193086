import { describe, expect, it } from 'vitest';
import { readNpmSettings } from '../../../src/engine/npm/settings.js';
import { type Files, writeFolder } from '../../support/packages.js';

async function settingsOf(
  user: string,
  { project, env = {} }: { readonly project?: Files; readonly env?: Record<string, string> } = {},
) {
  const home = writeFolder({ '.npmrc': user });
  const setting = { env, home, platform: 'linux', execPath: process.execPath } as const;
  return await readNpmSettings({ ...setting, ...(project && { cwd: writeFolder(project) }) });
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

  it('fill in variables of the environment', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: npm fills it in.
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
    const { project } = await settingsOf('https-proxy=http://proxy.example/\n', { project: files });
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
