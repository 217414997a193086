import { describe, expect, test } from 'vitest';
import { writePackage } from '../support/packages.js';
import { openProgram } from '../support/program.js';

const files = {
  'agenttools/tools/module.js': `
    import { defineTool, text } from 'agenttools';
    export default defineTool({ description: 'A module.', handler: () => text('module') });`,
  'agenttools/tools/common.cjs': `
    const { defineTool } = require('agenttools');
    module.exports = defineTool({ description: 'CommonJS.', handler: () => 'common' });`,
  'agenttools/tools/nested.json': { description: 'Data.', handler: './lib/nested.js#run' },
  'lib/nested.js': `export { run } from './inner.js';`,
  'lib/inner.js': `
    import { ToolError } from 'agenttools';
    export const run = () => { throw new ToolError('nested'); };`,
  'agenttools/tools/broken.js': `
    import 'agenttools';
    import 'no-such-package';`,
};

const optionalPeer = {
  peerDependencies: { agenttools: '*' },
  peerDependenciesMeta: { agenttools: { optional: true } },
};

describe('code of a package without agenttools', () => {
  test('imports the running one, from modules, CommonJS and modules that they import', async () => {
    const tools = ['broken', 'module', 'common', 'nested'];
    const program = await openProgram(writePackage({ tools }, files, optionalPeer));
    expect(await program.textOf('module')).toBe('module');
    expect(await program.textOf('common')).toBe('common');
    expect(await program.textOf('nested')).toBe('nested');
    expect(await program.end()).toEqual({ code: 0, signal: null });
    expect(program.stderr).toContain(`Cannot find package 'no-such-package'`);
    expect(program.stderr).not.toContain(`'agenttools'`);
  });

  test('imports it without a declared dependency', async () => {
    const program = await openProgram(writePackage({ tools: ['common'] }, files));
    expect(await program.textOf('common')).toBe('common');
    await program.end();
  });

  test('imports its own copy, if it has one', async () => {
    const copy = {
      'node_modules/agenttools/package.json': { name: 'agenttools', exports: './own.cjs' },
      'node_modules/agenttools/own.cjs': `exports.defineTool = () => ({ description: 'Own.', handler: () => 'own' });`,
    };
    const program = await openProgram(writePackage({ tools: ['common'] }, { ...files, ...copy }));
    expect(await program.textOf('common')).toBe('own');
    await program.end();
  });
});
