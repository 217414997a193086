import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { writeFolder } from '../support/packages.js';
import { type Message, root } from '../support/program.js';

const edge = path.join(root, 'dist/edge');

/** Runs a program without Node's globals and without code from strings. `before` runs before the handler is loaded, `atLoad` right after. */
async function runOnTheEdge(program: string, before = '', atLoad = ''): Promise<Message> {
  const folder = writeFolder({
    'run.mjs': `const { stdout } = process;
      const { setTimeout: start, clearTimeout: stop } = globalThis;
      const timers = new Map();
      globalThis.setTimeout = (work, ms) => {
        timers.set(timers.size + 1, start(work, ms));
        return timers.size;
      };
      globalThis.clearTimeout = (id) => stop(timers.get(id));
      const refuse = () => {
        throw new Error('Code was to be made of text.');
      };
      globalThis.Function = new Proxy(Function, { construct: refuse, apply: refuse });
      // Node's own web parts are made of Node; nobody else may be.
      for (const name of ['process', 'Buffer', 'setImmediate', 'require', 'global']) {
        const value = globalThis[name];
        Object.defineProperty(globalThis, name, {
          get: () => {
            if (new Error().stack.split('\\n')[2]?.includes('/dist/edge/')) throw new Error(name + ' was used.');
            return value;
          },
        });
      }
      ${before}
      const { createHandler, defineTool, image } = await import(${JSON.stringify(pathToFileURL(path.join(edge, 'handler.js')).href)});
      ${atLoad}
      const url = 'https://edge.example/';
      const ask = async (handler, method, params = {}, headers = {}) => {
        const name = params.name ?? params.uri;
        const response = await handler(new Request(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': method,
            ...(name && { 'mcp-name': name }),
            ...headers,
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
            },
            ...params,
          } }),
        }));
        return JSON.parse(await response.text());
      };
      const tell = (value) => stdout.write(JSON.stringify(value));
      ${program}`,
  });
  const child = spawn(
    process.execPath,
    ['--disallow-code-generation-from-strings', path.join(folder, 'run.mjs')],
    { stdio: ['ignore', 'pipe', 'pipe'], env: {} },
  );
  const [out, error] = await Promise.all([child.stdout, child.stderr].map((stream) => stream.toArray()));
  expect(Buffer.concat(error!).toString()).toBe('');
  return JSON.parse(Buffer.concat(out!).toString());
}

const definition = `{
  name: 'edge',
  version: '1.0.0',
  tools: [
    { name: 'add', description: 'Adds.', input: { a: 'number', b: { type: 'number', default: 2 } },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      handler: ({ a, b }) => ({ sum: a + b }) },
    { name: 'greet', description: 'Asks.', handler: async (_, ctx) => {
      const id = await ctx.step('id', () => 7);
      const { content } = await ctx.elicit('Who?', { name: { type: 'string', required: true } });
      return 'Hello, ' + content.name + ' ' + id;
    } },
    defineTool({ name: 'seen', description: 'Hidden.', hidden: true, handler: () => 'seen' }),
    { name: 'wrong', description: 'Gives something else.', output: { sum: 'number' }, handler: () => ({ sum: 'x' }) },
    { name: 'picture', description: 'Bytes.', handler: () => image(new Uint8Array([0, 1, 2]), 'image/png') },
  ],
  prompts: [{ name: 'hello', description: 'Says hello.', arguments: [{ name: 'who', required: true }], content: { template: 'Hello, {{who}}!' } }],
  resources: [
    { uri: 'edge://bytes', name: 'bytes', description: 'Bytes.', read: () => new Uint8Array([0, 1, 2]) },
    { uriTemplate: 'edge://{id}', name: 'any', description: 'Any.', read: (uri, { id }) => 'item ' + id },
  ],
  pageSize: 3,
}`;

test('a server runs without Node, and without code made of text', async () => {
  const told = await runOnTheEdge(`
    const handler = createHandler(${definition}, {
      allowedHosts: ['edge.example'], sessions: false,
      stateSecret: 'a secret of thirty-two characters', report: (line) => stdout.write(line),
    });
    const call = async (name, args, more) => (await ask(handler, 'tools/call', { name, arguments: args, ...more })).result;
    const page = (await ask(handler, 'tools/list')).result;
    const asked = await call('greet', {});
    tell({
      listed: [page, (await ask(handler, 'tools/list', { cursor: page.nextCursor })).result].map(({ tools }) => tools.map(({ name }) => name)),
      added: (await call('add', { a: 1 })).structuredContent,
      refused: await call('add', { a: 'x' }),
      wrong: (await call('wrong', {})).isError,
      asked: asked.inputRequests.e1.params.message,
      greeted: (await call('greet', {}, { requestState: asked.requestState, inputResponses: { e1: { action: 'accept', content: { name: 'Ada' } } } })).content[0].text,
      forged: (await ask(handler, 'tools/call', { name: 'greet', arguments: {}, requestState: asked.requestState + 'x', inputResponses: {} })).error.code,
      prompt: (await ask(handler, 'prompts/get', { name: 'hello', arguments: { who: 'you' } })).result.messages[0].content.text,
      picture: (await call('picture', {})).content[0].data,
      seen: (await call('seen', {})).content[0].text,
      bytes: (await ask(handler, 'resources/read', { uri: 'edge://bytes' })).result.contents[0].blob,
      item: (await ask(handler, 'resources/read', { uri: 'edge://4' })).result.contents[0].text,
      discovered: (await ask(handler, 'server/discover')).result.supportedVersions,
      stranger: (await ask(handler, 'tools/list', {}, { origin: 'https://evil.example' })).error.message,
    });
    await handler.close();
  `);
  expect(told).toMatchObject({
    listed: [['add', 'greet', 'wrong'], ['picture']],
    added: { sum: 3 },
    refused: { isError: true, content: [{ text: expect.stringMatching(/number" at \/a$/) }] },
    wrong: true,
    asked: 'Who?',
    greeted: 'Hello, Ada 7',
    forged: -32602,
    prompt: 'Hello, you!',
    picture: 'AAEC',
    seen: 'seen',
    bytes: 'AAEC',
    item: 'item 4',
    discovered: ['2026-07-28'],
    stranger: expect.stringContaining('evil.example'),
  });
});

test('sessions and tokens work there, too', async () => {
  const told = await runOnTheEdge(`
    const handler = createHandler(${definition}, { allowedHosts: 'any', token: 'sesame' });
    const post = (body, headers = {}) => handler(new Request(url, {
      method: 'POST',
      headers: { authorization: 'Bearer sesame', 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
    }));
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const opened = await post({ id: 1, method: 'initialize', params });
    const answer = await post({ id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 3 } } }, { 'mcp-session-id': opened.headers.get('mcp-session-id') });
    const refused = await handler(new Request(url, { method: 'POST' }));
    tell({ sum: (await answer.text()).includes('"sum":5'), refused: refused.status });
    await handler.close();
  `);
  expect(told).toEqual({ sum: true, refused: 401 });
});

test('tokens of an issuer do, whose keys are fetched as such platforms can', async () => {
  const told = await runOnTheEdge(`
    const issuer = 'https://issuer.example';
    const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
    const documents = {
      '/.well-known/oauth-authorization-server': { issuer, jwks_uri: issuer + '/keys' },
      '/keys': { keys: [{ ...(await crypto.subtle.exportKey('jwk', publicKey)), kid: 'one', alg: 'ES256' }] },
    };
    globalThis.fetch = async (to, { redirect } = {}) => {
      // workerd: "Invalid redirect value, must be one of "follow" or "manual""
      if (redirect === 'error') throw new TypeError('Invalid redirect value');
      return Response.json(documents[new URL(to).pathname]);
    };
    const part = (value) => btoa(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const signed = part({ alg: 'ES256', kid: 'one' }) + '.' + part({ iss: issuer, aud: url, sub: 'ada', exp: 32503680000 });
    const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, new TextEncoder().encode(signed));
    const token = signed + '.' + part(String.fromCharCode(...new Uint8Array(signature)));
    const handler = createHandler(${definition}, { allowedHosts: ['edge.example'], oauth: { issuer, publicUrl: url } });
    const { result } = await ask(handler, 'tools/call', { name: 'add', arguments: { a: 1 } }, { authorization: 'Bearer ' + token });
    tell(result.structuredContent);
  `);
  expect(told).toEqual({ sum: 3 });
});

test('reports items and handlers that the edge cannot load', async () => {
  const told = await runOnTheEdge(`
    const lost = await createHandler({ tools: ['catalog'] }).ready().catch(({ message }) => message);
    const tool = { name: 'a', description: 'A.', handler: './a.js#a' };
    const elsewhere = await createHandler({ tools: [tool] }).ready().catch(({ message }) => message);
    const listed = await createHandler({ toolList: 'catalog', tools: [{ ...tool, handler: () => 'a' }] }).ready().catch(({ message }) => message);
    tell({ lost, elsewhere, listed });
  `);
  expect(told.lost).toContain('catalog');
  expect(told.elsewhere).toContain('There is no file ./a.js');
  expect(told.listed).toContain('"catalog" needs Node');
});

// workerd: "Disallowed operation called within global scope."
test('loads and creates a handler without operations that workers allow in requests only', async () => {
  const told = await runOnTheEdge(
    `
    globalThis.isInRequest = true;
    const sum = (await ask(handler, 'tools/call', { name: 'add', arguments: { a: 1 } })).result.structuredContent;
    await handler.close();
    tell(sum);`,
    `globalThis.isInRequest = false;
    for (const [owner, name] of [[globalThis, 'AbortController'], [globalThis, 'setTimeout'], [globalThis, 'fetch'], [crypto, 'getRandomValues'], [crypto, 'randomUUID']]) {
      const original = owner[name];
      const guarded = new Proxy(original, {
        construct: (target, args) => check() ?? Reflect.construct(target, args),
        apply: (target, self, args) => check() ?? Reflect.apply(target, owner, args),
      });
      const check = () => {
        if (!isInRequest && new Error().stack.includes('/dist/edge/')) throw new Error(name + ' was used at load.');
      };
      Object.defineProperty(owner, name, { value: guarded, configurable: true, writable: true });
    }`,
    `const handler = createHandler(${definition}, { allowedHosts: ['edge.example'], sessions: false });`,
  );
  expect(told).toEqual({ sum: 3 });
});

test('it imports nothing but its own parts', () => {
  for (const file of readdirSync(edge)) {
    const text = readFileSync(path.join(edge, file), 'utf8');
    const imports = [...text.matchAll(/(?:from|import)\(?["']([^"']+)["']/g)].map(([, name]) => name!);
    expect(imports.filter((name) => !name.startsWith('./'))).toEqual([]);
  }
});

test('tools of existing servers are refused in words', async () => {
  const told = await runOnTheEdge(`
    const upstream = { command: 'node', args: ['archive.js'] };
    const one = createHandler({ tools: [{ name: 'find', upstream: { ...upstream, tool: 'search' } }] }, { allowedHosts: 'any' });
    tell({
      entry: await createHandler({ tools: [{ upstream }] }).ready().catch(({ message }) => message),
      tool: (await ask(one, 'tools/call', { name: 'find' })).result,
    });
    await one.close();
  `);
  expect(told).toEqual({
    entry: expect.stringContaining('which only Node reaches'),
    tool: expect.objectContaining({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('only Node reaches upstream servers') }],
    }),
  });
});
