import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadBuiltin } from '../support/builtin.js';
import { writeFolder } from '../support/packages.js';
import { root } from '../support/program.js';
import { compose, openSession } from '../support/session.js';

const { evaluateInCloud } = await loadBuiltin('wolfram/cloud/compute.js');
const { addressAt, services } = await loadBuiltin('wolfram/services/services.js');

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Result = any;

type Answer = (request: IncomingMessage, response: ServerResponse, body: Result) => void;

const key = 'key-that-nobody-may-see';
const asked: Record<'method' | 'url' | 'authorization' | 'body', Result>[] = [];
let answers: Answer[];
let server: Server;

/** A stand-in for Wolfram's services. The last answer is for all that follow. */
beforeEach(async () => {
  asked.length = 0;
  answers = [success('Out[1]= 2')];
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    const { method, url, headers } = request;
    asked.push({ method, url, authorization: headers.authorization, body });
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const home = writeFolder();
  vi.stubEnv('AGENTTOOLS_HOME', home);
  vi.stubEnv('PATH', home);
  vi.stubEnv('WOLFRAMSCRIPT', undefined);
  vi.stubEnv('WOLFRAM_KERNEL', undefined);
  vi.stubEnv('WOLFRAM_API_KEY', key);
  vi.stubEnv('WOLFRAM_SERVICES_BASE', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function success(result: string, more: object = {}): Answer {
  return reply(200, JSON.stringify({ result, code: '1+1', success: true, uuid: 'u', ...more }));
}

function reply(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return (_, response) => void response.writeHead(status, headers).end(text);
}

async function open(options?: object) {
  const composed = await compose(
    { servers: ['main'] },
    { 'agenttools/servers/main.json': { tools: ['WolframLanguageEvaluator'] } },
    {
      builtinFolder: path.join(root, 'src/builtin'),
      toolOptions: options && { WolframLanguageEvaluator: options },
    },
  );
  const session = await openSession(composed);
  const begin = (args: object) =>
    session.send('tools/call', {
      name: 'WolframLanguageEvaluator',
      arguments: { code: '1+1', ...args },
    });
  return {
    ...session,
    reports: composed.reports,
    begin,
    evaluate: async (args = {}): Promise<Result> => await begin(args).answer,
  };
}

const textOf = ({ content }: Result): string => content.map(({ text }: Result) => text).join('|');

describe('an evaluation in the cloud', () => {
  test('is asked for as the service documents it, where there is no kernel', async () => {
    const { evaluate } = await open({ MaxCharacterCount: 500 });
    const result = await evaluate({ timeConstraint: 9 });
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'Out[1]= 2' }],
      _meta: { backend: 'cloud' },
    });
    expect(result.isError).toBeUndefined();
    expect(asked).toEqual([
      {
        method: 'POST',
        url: '/api/apis/v1/WolframLanguageCompute',
        authorization: key,
        body: { code: '1+1', line: 1, maxChars: 500, timeConstraint: 9 },
      },
    ]);
  });

  test('runs there if the user selects it, even if a kernel is available', async () => {
    vi.stubEnv('WOLFRAMSCRIPT', path.join(root, 'test/support/wolframscript.mjs'));
    const { evaluate } = await open({ Method: 'Cloud' });
    expect((await evaluate())._meta).toEqual({ backend: 'cloud' });
  });

  test('replaces a kernel that does not start, and reports this', async () => {
    vi.stubEnv('PATH', `${path.dirname(process.execPath)}${path.delimiter}/usr/bin`);
    vi.stubEnv('WOLFRAMSCRIPT', path.join(root, 'test/support/wolframscript.mjs'));
    vi.stubEnv('WOLFRAM_STAND_IN', 'no-licence');
    const result = await (await open()).evaluate();
    expect(result._meta).toEqual({ backend: 'cloud' });
    expect(textOf(result)).toMatch(
      /^Out\[1\]= 2\n\n<system-reminder>The Wolfram kernel could not be started: it is not activated: .*valid password\. The Wolfram Cloud was used instead\.<\/system-reminder>$/,
    );
  });

  test('holds nothing that terminals obey', async () => {
    answers = [success('\u001b[31mred\u0007\u009b\r\nend')];
    expect(textOf(await (await open()).evaluate())).toBe('[31mred\nend');
  });

  test('reports that it keeps no sessions', async () => {
    const result = await (await open()).evaluate({ session: 'abc' });
    expect(textOf(result)).toContain('The cloud keeps no sessions');
  });

  test('fails in the words of the service', async () => {
    answers = [success('Syntax error', { success: false })];
    const result = await (await open()).evaluate();
    expect(result).toMatchObject({ isError: true, content: [{ text: 'Syntax error' }] });
  });

  test('repeats the request once if the service is unavailable', async () => {
    answers = [reply(503, 'busy', { 'Retry-After': '0' }), success('Out[1]= 3')];
    expect(textOf(await (await open()).evaluate())).toBe('Out[1]= 3');
    expect(asked).toHaveLength(2);
  });

  test('ends when the call is cancelled', async () => {
    let isClosed: Promise<unknown> | undefined;
    answers = [
      (request) => {
        isClosed = new Promise((resolve) => request.socket.once('close', resolve));
      },
    ];
    const { begin, cancel } = await open();
    const { id } = begin({});
    await vi.waitUntil(() => isClosed !== undefined, { timeout: 20_000 });
    cancel(id);
    await isClosed;
    expect(asked).toHaveLength(1);
  });

  test.each<[what: string, answer: Answer, said: RegExp]>([
    [
      'a bad key',
      reply(401, `{"message":"bad key ${key}"}`),
      /does not accept the key in the environment variable WOLFRAM_API_KEY\..* Its message: bad key …$/,
    ],
    [
      'a forbidden key',
      reply(403, ''),
      /does not accept the key in the environment variable WOLFRAM_API_KEY\./,
    ],
    ['a quota', reply(429, 'slow down'), /no calls left for now, or calls come too fast\. Try again later/],
    ['an outage', reply(500, '<html>'), /is unavailable \(HTTP 500\)\. Try again later\.$/],
    [
      'a bad request',
      reply(400, `no code for ${key}\u001b`),
      /refused the request as invalid\. Its message: no code for …$/,
    ],
    [
      'a bad request as page',
      reply(404, '<html>'),
      /gave no answer \(HTTP 404\)\. Expected https:.* or the address in the environment variable WOLFRAM_SERVICES_BASE\.$/,
    ],
    [
      'a redirect',
      reply(302, '', { location: 'http://127.0.0.1:1/elsewhere' }),
      /gave no answer \(HTTP 302\)/,
    ],
    ['a page', reply(200, '<!doctype html>'), /answered with a page instead of JSON/],
    ['half an answer', reply(200, '{"result":"1'), /returned an invalid result/],
    ['an answer without result', reply(200, '{"success":true}'), /returned an invalid result/],
    ['null', reply(200, 'null'), /returned an invalid result/],
    [
      'a broken connection',
      (request) => void request.socket.destroy(),
      /The Wolfram Cloud cannot be reached/,
    ],
    ['far too much', reply(200, 'x'.repeat(9 * 1024 * 1024)), /more than the requested limit/],
  ])('fails with a reason after %s', async (_, answer, said) => {
    answers = [answer];
    const { evaluate, reports } = await open();
    const result = await evaluate();
    expect(result.isError).toBe(true);
    expect(result._meta).toEqual({ backend: 'cloud' });
    expect(textOf(result)).toMatch(said);
    expect(JSON.stringify([result, reports])).not.toContain(key);
  });

  test('fails with a reason after its timeout', async () => {
    answers = [() => {}];
    const asking = evaluateInCloud(
      { code: '1', seconds: 0.02, maxCharacters: 100 },
      { signal: new AbortController().signal, grace: 0.03 },
    );
    await expect(asking).rejects.toThrow('The Wolfram Cloud gave no answer within');
  });

  test('shows no key that comes back in a result', async () => {
    answers = [success(`your key: ${key}`)];
    expect(textOf(await (await open()).evaluate())).toBe('your key: …');
  });

  test('shows no key that a service wrote with escapes', async () => {
    const escaped = [...key].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    answers = [reply(200, `{"result":"your key: ${escaped}"}`)];
    expect(textOf(await (await open()).evaluate())).toBe('your key: …');
  });

  test('is not tried again where the service has no such thing', async () => {
    answers = [reply(501, 'no')];
    expect(textOf(await (await open()).evaluate())).toMatch(/gave no answer \(HTTP 501\)/);
    expect(asked).toHaveLength(1);
  });

  test('is cut where the service gives more than it was asked for', async () => {
    answers = [success('x'.repeat(50_000))];
    const text = textOf(await (await open({ MaxCharacterCount: 1000 })).evaluate());
    expect(text).toMatch(/^x{500}\n… 49000 characters left out …\nx{500}$/);
  });

  test.each([
    [
      '',
      /^The Wolfram Cloud needs an API key, and none is set\..* in the environment variable WOLFRAM_API_KEY\.$/,
    ],
    ['two words', /WOLFRAM_API_KEY does not hold a valid key/],
  ])('needs a key (%j)', async (set, said) => {
    vi.stubEnv('WOLFRAM_API_KEY', set);
    const result = await (await open({ Method: 'Cloud' })).evaluate();
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(said);
    expect(textOf(result)).not.toContain('two words');
    expect(asked).toEqual([]);
  });

  test('sends no key to an address that others can listen to', async () => {
    vi.stubEnv('WOLFRAM_SERVICES_BASE', 'http://services.example.com');
    const result = await (await open()).evaluate();
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(
      /^The environment variable WOLFRAM_SERVICES_BASE does not hold a usable address/,
    );
  });
});

test.each([
  [undefined, 'https://services.wolfram.com/x'],
  [' ', 'https://services.wolfram.com/x'],
  ['https://proxy.example.com/wolfram/', 'https://proxy.example.com/wolfram/x'],
  ['https://proxy.example.com/wolfram', 'https://proxy.example.com/wolfram/x'],
  ['http://localhost:81', 'http://localhost:81/x'],
])('the services are at %j', (set, address) => {
  vi.stubEnv('WOLFRAM_SERVICES_BASE', set);
  expect(addressAt(services.compute, 'x').href).toBe(address);
});

test.each(['http://127.0.0.1.example.com', 'https://user:password@example.com', 'file:///etc', 'services'])(
  'no service is at %j',
  (set) => {
    vi.stubEnv('WOLFRAM_SERVICES_BASE', set);
    expect(() => addressAt(services.compute, 'x')).toThrow('does not hold a usable address');
  },
);
