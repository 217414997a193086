import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Client } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { freePorts } from '../support/daemons.js';
import { startDev } from '../support/dev.js';
import { connectHttp, type Mode } from '../support/http-client.js';
import { InspectorClient } from '../support/inspector-client.js';
import { addFiles, type Files, packageJson, writeFolder } from '../support/packages.js';
import { eventually, type Message } from '../support/program.js';

const kit: Files = {
  'package.json': packageJson({ tools: ['data', 'code'] }),
  'agenttools/tools/data.json': { description: 'Data 1.', handler: './lib/handler.js' },
  'agenttools/tools/code.js': `export default { description: 'Code 1.', handler: () => 'code 1' };`,
  'lib/handler.js': `import { word } from './deep.js'; export default () => word;`,
  'lib/deep.js': `export const word = 'deep 1';`,
};

const textOf = ({ content }: Message): string => content[0].text;

/** A client, its list of tools as texts, and the number of changes that it was told of. */
async function connect(url: string, mode: Mode) {
  let changes = 0;
  const onChanged = () => {
    changes += 1;
  };
  const client: Client = await connectHttp(url, {
    mode,
    prepare: (one) => one.setNotificationHandler('notifications/tools/list_changed', onChanged),
  });
  const subscription = mode === 'legacy' ? undefined : await client.listen({ toolsListChanged: true });
  return {
    client,
    changes: () => changes,
    tools: async () => (await client.listTools()).tools.map(({ description }) => description),
    call: async (name: string) => textOf(await client.callTool({ name })),
    async close() {
      await subscription?.close();
      await client.close();
    },
  };
}

it.each(['legacy', 'pinned'] as const)(
  'serves changed files behind an open %s session, and the last good version of broken ones',
  async (mode) => {
    const folder = writeFolder(kit);
    const dev = await startDev(folder, ['--no-page']);
    const { tools, call, changes, close } = await connect(dev.url, mode);
    expect(await tools()).toEqual(['Data 1.', 'Code 1.']);
    expect(await call('data')).toBe('deep 1');

    addFiles(folder, {
      'agenttools/tools/data.json': { description: 'Data 2.', handler: './lib/handler.js' },
    });
    await eventually(() => changes() === 1, 'the change of a data definition');
    expect(await tools()).toEqual(['Data 2.', 'Code 1.']);

    addFiles(folder, {
      'agenttools/tools/code.js': `export default { description: 'Code 2.', handler: () => 'code 2' };`,
    });
    await eventually(() => changes() === 2, 'the change of a definition in code');
    expect(await tools()).toEqual(['Data 2.', 'Code 2.']);
    expect(await call('code')).toBe('code 2');

    // Other files are not watched: handlers may write them.
    addFiles(folder, { 'cache.txt': 'x', 'lib/deep.js': `export const word = 'deep 2';` });
    await eventually(() => /Updated in \d+ ms: lib\/deep\.js\./.test(dev.stderr()), 'the change of a module');
    expect(await call('data')).toBe('deep 2');

    addFiles(folder, { 'lib/deep.js': `export const word = ;` });
    await eventually(
      () => /lib\/deep\.js:1:21 error Unexpected token/.test(dev.stderr()),
      'the syntax error',
    );
    expect(dev.stderr()).toContain('The version before is served until this is fixed:');
    addFiles(folder, { 'agenttools/tools/code.js': `throw new Error('no');` });
    await eventually(() => /tools\/code\.js:1:7 error .*no\./.test(dev.stderr()), 'the error of a module');
    addFiles(folder, { 'agenttools/tools/code.js': `export default ;` });
    await eventually(() => /tools\/code\.js:1:16 error /.test(dev.stderr()), 'the syntax error of a tool');
    expect(dev.stderr().match(/tools\/code\.js:1:16 error /g)).toHaveLength(1);
    addFiles(folder, { 'agenttools/tools/data.json': '{ "description": ' });
    await eventually(() => /tools\/data\.json:1:\d+ error /.test(dev.stderr()), 'the unreadable definition');
    addFiles(folder, { 'package.json': '{' });
    await eventually(
      () => /package\.json:1:\d+ error .*malformed-manifest/.test(dev.stderr()),
      'the bad manifest',
    );
    expect([await call('data'), await call('code'), changes()]).toEqual(['deep 2', 'code 2', 2]);

    addFiles(folder, kit);
    await eventually(() => changes() === 3, 'the change after the repair');
    expect(dev.stderr()).toMatch(/Fixed in \d+ ms/);
    expect(await tools()).toEqual(['Data 1.', 'Code 1.']);
    expect([await call('data'), await call('code')]).toEqual(['deep 1', 'code 1']);
    await close();
    expect(await dev.end()).toBe(0);
  },
);

it('serves kinds that get their first item, and the other items while a new one is incomplete', async () => {
  const folder = writeFolder(kit);
  const dev = await startDev(folder, ['--no-page']);
  const { client, tools } = await connect(dev.url, 'legacy');
  expect((await client.listPrompts()).prompts).toEqual([]);
  addFiles(folder, {
    'package.json': packageJson({ tools: ['data', 'code', 'new'], prompts: ['brief'] }),
    'agenttools/prompts/brief.json': { description: 'Briefs.', content: 'Be brief.' },
  });
  await eventually(() => dev.stderr().includes('has no definition'), 'the missing definition');
  expect(await tools()).toEqual(['Data 1.', 'Code 1.']);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['brief']);
  addFiles(folder, { 'agenttools/tools/new.json': { description: 'New.', handler: './lib/handler.js' } });
  await eventually(() => /Updated in \d+ ms: .*tools\/new\.json/.test(dev.stderr()), 'the new definition');
  expect(await tools()).toEqual(['Data 1.', 'Code 1.', 'New.']);
  await client.close();
  expect(await dev.end()).toBe(0);
});

it('finishes calls on the code that they began with', async () => {
  const slow = (word: string) => `
    import { existsSync, writeFileSync } from 'node:fs';
    export default async ({ go }) => {
      if (go) writeFileSync(go + '-begun', '');
      while (go && !existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 10));
      return '${word}';
    };`;
  const folder = writeFolder({
    'package.json': packageJson({ tools: ['slow'] }),
    'agenttools/tools/slow.json': {
      description: 'Waits.',
      input: { go: { type: 'string' } },
      handler: './slow.js',
    },
    'slow.js': slow('old'),
  });
  const go = path.join(writeFolder(), 'go');
  const dev = await startDev(folder, ['--no-page']);
  const { client, call } = await connect(dev.url, 'legacy');
  const running = client.callTool({ name: 'slow', arguments: { go } });
  await eventually(() => existsSync(`${go}-begun`), 'the beginning of the call');
  addFiles(folder, { 'slow.js': slow('new') });
  await eventually(() => dev.stderr().includes('Updated'), 'the change');
  expect(await call('slow')).toBe('new');
  writeFileSync(go, '');
  expect(textOf(await running)).toBe('old');
  await client.close();
  expect(await dev.end()).toBe(0);
});

it('lets a debugger stop in the extension host, and opens the port again after each change', async () => {
  const folder = writeFolder(kit);
  const [port = 0] = await freePorts(1);
  const dev = await startDev(folder, ['--no-page', `--inspect=${port}`]);
  const { client, call } = await connect(dev.url, 'legacy');
  expect(await call('data')).toBe('deep 1');

  const first = await InspectorClient.attach(port);
  await first.send('Debugger.enable');
  const url = pathToFileURL(path.join(folder, 'lib/handler.js')).href;
  await first.send('Debugger.setBreakpointByUrl', { url, lineNumber: 0, columnNumber: 35 });
  const stopped = call('data');
  const { callFrames } = await first.event('Debugger.paused');
  const { scriptId } = callFrames[0].location;
  const isStopped = ({ method, params }: Message) =>
    method === 'Debugger.scriptParsed' && params.scriptId === scriptId;
  expect(first.events.find(isStopped).params.url).toBe(url);
  const frame = { callFrameId: callFrames[0].callFrameId, expression: 'word' };
  expect((await first.send('Debugger.evaluateOnCallFrame', frame)).result.value).toBe('deep 1');
  await first.send('Debugger.resume');
  expect(await stopped).toBe('deep 1');

  addFiles(folder, { 'lib/deep.js': `export const word = 'deep 2';` });
  await eventually(() => dev.stderr().includes('Updated'), 'the change');
  const second = await InspectorClient.attach(port);
  const { result } = await second.send('Runtime.evaluate', {
    expression: `process.argv[1] + ' ' + process.pid`,
  });
  expect(result.value).toContain('extension-host');
  expect(await call('data')).toBe('deep 2');
  second.close();
  await client.close();
  expect(await dev.end()).toBe(0);
});

it('loads no code before a debugger is attached, with --inspect-brk', async () => {
  const folder = writeFolder(kit);
  const [port = 0] = await freePorts(1);
  const starting = startDev(folder, ['--no-page', `--inspect-brk=${port}`]);
  const inspector = await InspectorClient.attach(port);
  await inspector.send('Debugger.enable');
  await inspector.send('Runtime.runIfWaitingForDebugger');
  await inspector.event('Debugger.paused');
  await inspector.send('Debugger.resume');
  const dev = await starting;
  const { client, tools } = await connect(dev.url, 'legacy');
  await eventually(() => !dev.stderr().includes('cannot'), 'a quiet start');
  expect(await tools()).toContain('Data 1.');
  inspector.close();
  await client.close();
  expect(await dev.end()).toBe(0);
});
