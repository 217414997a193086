import { describe, expect, it } from 'vitest';
import { AgentToolsError } from '../../../src/engine/base/errors.js';
import { confirmScripts, explainUnrunScripts } from '../../../src/engine/installation/unrun-scripts.js';

const scripted = {
  name: 'builder',
  version: '1.0.0',
  scripts: ['postinstall: node build.js'],
  isAllowed: false,
};
const note =
  'builder@1.0.0 has install scripts that were not run: postinstall: node build.js. Run them with: --allow-scripts builder';
const explain = (message: string) =>
  explainUnrunScripts(new AgentToolsError('failed', message), [scripted]) as AgentToolsError;

describe('the failure of a server with scripts that were not run', () => {
  it.each([
    [`Error: Cannot find module '/x/node_modules/builder/built.js'`, '/x/node_modules/builder/built.js'],
    [`Cannot find package 'builder' imported from /x/a.js`, 'builder'],
    [`ENOENT: no such file or directory, open '/x/node_modules/builder/a'`, '/x/node_modules/builder/a'],
    [`spawn /x/node_modules/builder/bin/tool ENOENT`, '/x/node_modules/builder/bin/tool'],
  ])('names the missing file of %j', (said, file) => {
    const { message } = explain(said);
    expect(message.split('\n')).toEqual([
      said,
      `For lack of the scripts of builder, this is missing: ${file}`,
      note,
    ]);
  });

  it('names a missing native addon', () => {
    expect(explain('Error: Could not locate the bindings file. Tried:').message).toContain(
      'For lack of install scripts, a native addon is missing: Could not locate the bindings file.',
    );
  });

  it('names only the scripts for files of other packages', () => {
    const said = `Cannot find module '/x/node_modules/other/a.js'`;
    expect(explain(said).message.split('\n')).toEqual([
      said,
      'The start may have failed for lack of install scripts.',
      note,
    ]);
  });

  it('stays as it is if all scripts ran, and for defects', () => {
    const error = new AgentToolsError('failed', 'no');
    expect(explainUnrunScripts(error, [])).toBe(error);
    const defect = new TypeError('ours');
    expect(explainUnrunScripts(defect, [scripted])).toBe(defect);
  });
});

describe('consent to install scripts', () => {
  it('is asked for each package once, with its scripts', async () => {
    const questions: string[] = [];
    const confirm = async (question: string) => questions.push(question) === 1;
    const user = { confirm, fillIn: async () => ({}) };
    const other = { ...scripted, name: 'other' };
    const allowed = { ...scripted, name: 'allowed', isAllowed: true };
    expect(await confirmScripts([scripted, scripted, other, allowed], user)).toEqual(['builder']);
    expect(questions).toEqual([
      'builder@1.0.0 has install scripts: postinstall: node build.js. Run them?',
      'other@1.0.0 has install scripts: postinstall: node build.js. Run them?',
    ]);
  });

  it('is missing without a terminal', async () => {
    expect(await confirmScripts([scripted], undefined)).toEqual([]);
  });
});
