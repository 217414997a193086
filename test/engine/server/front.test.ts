import { expect, test } from 'vitest';
import { call, legacy, modern, openPipe } from './support/pipe.js';

test('smoke', async () => {
  const pipe = openPipe();
  console.log(JSON.stringify(await pipe.initialize()));
  for (const m of [
    call(1, 'echo', { a: 1 }),
    modern(2, 'server/discover'),
    modern(3, 'tools/call', { name: 'echo' }),
    call(4, 'surrogate'),
    call(5, 'unwritable'),
    call(6, 'malformed'),
    call(7, 'nope'),
    legacy(8, 'prompts/get', { name: 3 }),
    legacy(9, 'resources/read', { uri: 'x:y' }),
    modern(10, 'resources/read', { uri: 'x:y' }),
    modern(11, 'initialize', {}),
    legacy(12, 'initialize', {
      protocolVersion: 'x',
      capabilities: { roots: 5 },
      clientInfo: { name: 'a', version: 'b' },
    }),
    modern(13, 'tools/call', { name: 'echo', arguments: [] }),
    modern(14, 'tools/list', {}, { 'io.modelcontextprotocol/clientInfo': 5 }),
    modern(15, 'tools/list', {}, { 'io.modelcontextprotocol/logLevel': 5 }),
    legacy(16, 'tools/call', { name: 'echo', task: 5 }),
    modern(17, 'ping'),
    legacy(18, 'ping'),
    legacy(19, 'foo'),
    modern(20, 'foo'),
    legacy(21, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'x' },
      argument: { name: 'a', value: 3 },
    }),
    modern(22, 'tools/call', { name: 'echo', requestState: 5 }),
    modern(23, 'tools/call', { name: 'echo', inputResponses: { a: 5 } }),
    modern(24, 'subscriptions/listen', { notifications: { toolsListChanged: 'x' } }),
    modern(25, 'resources/list', { cursor: 4 }),
    '{"foo":1}',
    '{',
    '[]',
  ])
    console.log(JSON.stringify(m).slice(0, 100), '\n   ', JSON.stringify(await pipe.ask(m)));
  pipe.input.end();
  await pipe.session.ended;
  console.log(pipe.reports);
});
