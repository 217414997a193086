import { describe, expect, test } from 'vitest';
import { validateExtension } from '../../../src/engine/validate/validate.js';
import { writePackage } from '../../support/packages.js';
import { compose } from '../../support/session.js';
import { optionsFor } from '../validate/support/validating.js';

const skill = (name: string, text = 'Do it.') =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${text}\n`;

const files = { 'docs/agents/tea/SKILL.md': skill('tea'), 'skills/paper/SKILL.md': skill('paper') };

describe('the skills folder of the manifest', () => {
  test.each(['docs/agents', './docs/agents/'])('has the skills: %s', async (folder) => {
    const server = { 'agenttools/servers/main.json': { skills: ['tea'] } };
    const { spec } = await compose({ skills: folder, servers: ['main'] }, { ...files, ...server });
    expect(spec.leftOut).toEqual([]);
    expect(spec.skills).toMatchObject([{ name: 'tea', file: 'docs/agents/tea/SKILL.md' }]);
  });

  test('is served by a package that declares nothing', async () => {
    const { spec } = await compose({ skills: 'docs/agents' }, files);
    expect(spec.skills.map(({ name }) => name)).toEqual(['tea']);
  });

  test('is named if a skill is missing', async () => {
    const server = { 'agenttools/servers/main.json': { skills: ['paper'] } };
    const { spec } = await compose({ skills: 'docs/agents', servers: ['main'] }, { ...files, ...server });
    expect(spec.leftOut).toMatchObject([
      { message: expect.stringContaining('Expected docs/agents/paper/SKILL.md.') },
    ]);
  });

  test('is not followed out of the package', async () => {
    const { spec } = await compose(
      { skills: '../skills', servers: ['main'] },
      { ...files, 'agenttools/servers/main.json': { skills: '*' } },
    );
    expect(spec.skills).toEqual([]);
  });

  test.each([
    ['../elsewhere', ['path-outside-package']],
    ['docs/none', ['missing-root']],
    ['package.json', ['missing-root']],
    [['tea'], ['malformed-manifest']],
    ['', ['malformed-manifest']],
    ['docs/agents', []],
  ])('is checked at its key: %j', async (skills, codes) => {
    const folder = writePackage(
      { skills, prompts: ['hello'] },
      { ...files, 'agenttools/prompts/hello.json': { description: 'Says hello.', content: 'Hello' } },
      { private: true },
    );
    const { diagnostics } = await validateExtension(folder, optionsFor());
    expect(diagnostics.map(({ code, file }) => `${code} ${file}`)).toEqual(
      codes.map((code) => `${code} package.json`),
    );
  });

  test('is where faults of skills are reported', async () => {
    const folder = writePackage(
      { skills: 'docs/agents' },
      {
        'docs/agents/tea/SKILL.md': skill('tea', '[gone](no.md)'),
        'docs/agents/mate/skill.md': skill('mate'),
      },
      { private: true },
    );
    const { diagnostics } = await validateExtension(folder, optionsFor());
    expect(diagnostics.map(({ code, file }) => `${code} ${file}`).sort()).toEqual([
      'broken-skill-link docs/agents/tea/SKILL.md',
      'invalid-skill docs/agents/mate/skill.md',
    ]);
  });
});
