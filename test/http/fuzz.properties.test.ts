import { expect, test } from 'vitest';
import { modernRequest } from '../support/http-client.js';
import { startHttp } from '../support/http-program.js';
import { mutatedLine, randomFrom } from '../support/mutations.js';
import { fixture, type Message } from '../support/program.js';
import { runs } from '../support/runs.js';

/** Another seed is another crowd of clients: `FUZZ_SEED=7 npx vitest …`. */
const seed = Number(process.env.FUZZ_SEED ?? 20260728);

/** 20,000 of all. */
const requestCount = Math.round((runs * 20) / 3);
const atATime = 16;

/** What is put into headers that do not fit the body. */
const strangers = [
  '',
  ' ',
  'x',
  '2025-06-18',
  '2099-01-01',
  'tools/call',
  '=?base64?////?=',
  'ÿ',
  '0'.repeat(5000),
];

const names = [
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'mcp-param-region',
  'accept',
];

test(`${requestCount} requests of clients gone mad are each answered, with nothing but HTTP and JSON-RPC`, async () => {
  // Subscriptions and questions that are under way at the end are not what is waited for.
  const program = await startHttp(fixture('conformance'), { flags: ['--drain', '1'] });
  const random = randomFrom(seed);
  const session = await openSession(program.url);
  let sent = 0;
  const send = async (): Promise<void> => {
    while (sent < requestCount) {
      sent += 1;
      const body = mutatedLine(random, sent);
      const headers = headersFor(body, session);
      if (random() < 0.2) {
        const stranger = strangers[Math.floor(random() * strangers.length)]!;
        headers[names[Math.floor(random() * names.length)]!] = stranger;
      }
      await expectSound(
        await fetch(program.url, { method: 'POST', headers, body: new Uint8Array(body) }),
        body,
      );
    }
  };
  await Promise.all(Array.from({ length: atATime }, send));
  const alive = await fetch(modernRequest(program.url, 'tools/call', { name: 'test_simple_text' }));
  expect(alive.status).toBe(200);
  expect(await alive.text()).toContain('simple text response');
  expect(await program.end()).toBe(0);
  expect(program.stderr()).toBe(`Serving at ${program.url}\n`);
}, 240_000);

/** The headers that fit a body, as far as it is one. */
function headersFor(body: Buffer, session: string): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const message = parsed(body.toString());
  const { method, params } = Object(message);
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (version === undefined) return { ...headers, 'mcp-session-id': session };
  const name = params.name ?? params.uri ?? params.taskId;
  return {
    ...headers,
    'mcp-protocol-version': asHeader(version),
    'mcp-method': asHeader(method),
    ...(name !== undefined && { 'mcp-name': asHeader(name) }),
    ...(params.arguments?.region !== undefined && { 'mcp-param-region': asHeader(params.arguments.region) }),
  };
}

/** @see MCP 2026-07-28, basic/transports/streamable-http: what is no plain text is base64 */
function asHeader(value: unknown): string {
  const text = String(typeof value === 'object' ? JSON.stringify(value) : value).slice(0, 2000);
  return /^[\x21-\x7e]*$/.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

async function expectSound(response: Response, body: Buffer): Promise<void> {
  const what = `${response.status} for ${body.toString().slice(0, 300)}`;
  expect(response.status, what).toBeLessThan(500);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    for (const message of await eventsOf(response)) expect(isJsonRpc(message), what).toBe(true);
    return;
  }
  const text = await response.text();
  if (text !== '') expect(isJsonRpc(parsed(text)), `${what}: ${text.slice(0, 300)}`).toBe(true);
}

/** What came on a stream; a subscription is left as soon as it is acknowledged. */
async function eventsOf(response: Response): Promise<unknown[]> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    text += value ?? '';
    const isSubscription = text.includes('notifications/subscriptions/acknowledged') && text.endsWith('\n\n');
    if (isSubscription) await reader.cancel();
    if (done || isSubscription) break;
  }
  const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: ');
  return lines.map((line) => parsed(line.slice('data: '.length)));
}

async function openSession(url: string): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'mad', version: '1' },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  });
  await response.text();
  return response.headers.get('mcp-session-id')!;
}

function isJsonRpc(message: Message): boolean {
  if (Array.isArray(message)) return message.every(isJsonRpc);
  return message?.jsonrpc === '2.0' && ['method', 'result', 'error'].some((key) => key in message);
}

function parsed(text: string): Message {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
