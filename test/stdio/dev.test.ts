import process from 'node:process';
import { expect, it } from 'vitest';
import { addFiles, packageJson, writeFolder } from '../support/packages.js';
import { type Message, programFile, startProgram } from '../support/program.js';

it('serves a client that starts it over stdio, with changes as they are saved', async () => {
  const folder = writeFolder({
    'package.json': packageJson({ tools: ['greet'] }),
    'agenttools/tools/greet.json': { description: 'Greets.', handler: './greet.js' },
    'greet.js': 'export default () => "hello";',
  });
  const program = startProgram(undefined, { command: [process.execPath, programFile, 'dev', folder] });
  await program.initialize();
  const list = async () => (await program.request('tools/list')).tools[0].description;
  expect(await list()).toBe('Greets.');
  addFiles(folder, { 'agenttools/tools/greet.json': { description: 'Greets you.', handler: './greet.js' } });
  const isChange = ({ method }: Message) => method === 'notifications/tools/list_changed';
  await program.until(() => program.messages.find(isChange), 'the notification');
  expect(await list()).toBe('Greets you.');
  expect(program.stderr).not.toContain('Page:');
  program.child.stdin.end();
  expect(await program.exit).toEqual({ code: 0, signal: null });
});
