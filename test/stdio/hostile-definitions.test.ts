import { describe, expect, test } from 'vitest';
import { type Files, writePackage } from '../support/packages.js';
import { openProgram } from '../support/program.js';

/** Modules of definitions that harm the process which loads them. */
const hostile: Readonly<Record<string, string>> = {
  exits: `process.exit(3);`,
  'is killed': `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});`,
  blocks: `for (;;);`,
  'never loads': `await new Promise(() => {});`,
  throws: `throw new Error('no');`,
  'replaces JSON': `JSON.stringify = () => 'taken'; JSON.parse = () => ({});`,
  'adds to Object.prototype': `Object.prototype.extend = function () {};`,
  'replaces Array methods': `Array.prototype.map = Array.prototype.filter = () => { throw new Error('no'); };`,
  'takes Promise away': `globalThis.Promise = undefined;`,
  'crashes later': `setTimeout(() => { throw new Error('late'); }, 50);`,
  'exits on errors': `process.on('uncaughtException', () => process.exit(1)); setTimeout(() => { throw new Error('late'); }, 50);`,
  'exports a thenable': `export { thenable as default }; const thenable = { then() {} };`,
  'exports a Proxy': `export default new Proxy({}, { get() { throw new Error('get'); }, ownKeys() { throw new Error('keys'); } });`,
};

const good = `export default { description: 'Answers.', handler: () => 'ok' };`;
const itself = (code: string) =>
  code.includes('export')
    ? code
    : `${code}\nexport default { description: 'Harms.', handler: () => 'harm' };`;

describe.concurrent('a definition that harms its process', () => {
  test.each(Object.entries(hostile))('%s, and all others work', async (_, code) => {
    const files: Files = {
      'agenttools/tools/harm.js': itself(code),
      'agenttools/tools/ok.js': good,
      'agenttools/tools/data.json': { description: 'Data.', handler: './data.js#data' },
      'data.js': `export const data = () => 'data';`,
    };
    const program = await openProgram(writePackage({ tools: ['harm', 'ok', 'data'] }, files));
    const { tools } = await program.request('tools/list');
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['ok', 'data']));
    expect(await program.textOf('ok')).toBe('ok');
    expect(await program.textOf('data')).toBe('data');
    await program.call('harm');
    expect(await program.textOf('ok')).toBe('ok');
    expect(await program.end()).toEqual({ code: 0, signal: null });
  });
});
