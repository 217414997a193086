import { describe, expect, test, vi } from 'vitest';
import { tasksExtension } from '../../../src/engine/protocol/protocol-extensions.js';
import { composeLive, openSession, type SessionOptions } from '../../support/session.js';

// biome-ignore lint/suspicious/noExplicitAny: results are looked at member by member
type Message = any;

const lines = (count: number, text = 'A line of a long result.') =>
  Array.from({ length: count }, (_, index) => `${index} ${text}`).join('\n');

const long = lines(5000);
const rows = Array.from({ length: 3000 }, (_, id) => ({ id, name: `The row with the number ${id}.` }));
const listSchema = {
  type: 'object',
  properties: { rows: { type: 'array', items: { type: 'object' } } },
  required: ['rows'],
};

const text = (value: string) => ({ type: 'text', text: value });

const tools = {
  long: { handler: () => long },
  short: { handler: () => 'short' },
  blocks: {
    handler: () => ({
      content: [text(lines(2000)), { type: 'image', data: 'AAAA', mimeType: 'image/png' }, text(long)],
    }),
  },
  rows: { handler: () => ({ content: [text(JSON.stringify({ rows }))], structuredContent: { rows } }) },
  structured: { handler: () => ({ content: [], structuredContent: { count: 2 } }) },
  summary: { handler: () => ({ content: [text('3000 rows.')], structuredContent: { rows } }) },
};

type Served = Parameters<typeof composeLive>[0]['tools'];

async function open(clientName: string, { era = 'legacy', ...server }: Message = {}, served: Served = tools) {
  const composed = await composeLive({ tools: served, server: { tools: '*', adapt: 'on', ...server } });
  const { request } = await openSession(composed, { era, clientName } as SessionOptions);
  const call = async (name: string, args: object = {}): Promise<Message> =>
    await request('tools/call', { name, arguments: args });
  const read = async (uri: string): Promise<string> =>
    (await request('resources/read', { uri })).contents[0].text;
  return { request, call, read, composed };
}

/** The text without its last line, and the last line. */
function parts(value: string): readonly [string, string] {
  const end = value.lastIndexOf('\n');
  return [value.slice(0, end), value.slice(end + 1)];
}

const addressIn = (line: string) => /agenttools:\/\/\S+/.exec(line)?.[0];

describe.each(['legacy', 'modern'])('%s: a long result', (era) => {
  test('is cut at a line, and resources have its rest', async () => {
    const { call, read, request } = await open('codex-mcp-client', { era });
    const { content } = await call('long');
    expect(content).toEqual([
      { type: 'text', text: expect.any(String) },
      {
        type: 'resource_link',
        uri: expect.stringMatching(/^agenttools:\/\/results\/[-0-9a-f]{36}$/),
        name: 'Result of long',
        mimeType: 'text/plain',
      },
    ]);
    const [head, note] = parts(content[0].text);
    expect(content[0].text.length).toBeLessThan(40_000);
    expect(note).toMatch(
      /^\[31,\d{3} of 148,889 characters\. For the rest, read the resource agenttools:\/\/results\/\S+\/2 of this server\.\]$/,
    );
    let joined = head;
    let next = addressIn(note);
    while (next) {
      const page = await read(next);
      expect(page.length).toBeLessThan(40_000);
      const [body, line] = page.includes('\n[Page ') ? parts(page) : [page, ''];
      joined += body;
      next = addressIn(line);
    }
    expect(joined).toBe(long);
    expect(await read(content[1].uri)).toBe(long);
    expect(await request('resources/list')).toMatchObject({ resources: [] });
    if (era === 'modern')
      expect(await request('resources/read', { uri: content[1].uri })).toMatchObject({
        cacheScope: 'private',
      });
  });
});

test('a client without tools for resources gets a tool that reads the rest', async () => {
  const huge = lines(60_000);
  const { call, request } = await open('claude-ai', {}, { huge: { handler: () => huge } });
  const { tools: listed } = await request('tools/list');
  expect(listed.map(({ name }: Message) => name)).toEqual(['huge', 'read_result']);
  const { content } = await call('huge');
  expect(content).toHaveLength(1);
  const [head, note] = parts(content[0].text);
  const args = JSON.parse(/with (\{.*\})\.\]$/.exec(note)![1]!);
  expect(args).toEqual({ result: expect.any(String), page: 2 });
  let whole = head;
  for (let next = args; next; ) {
    const page = (await call('read_result', next)).content[0].text;
    const [body, line] = page.includes('\n[Page ') ? parts(page) : [page, ''];
    whole += body;
    const found = /with (\{.*\})\.\]$/.exec(line);
    next = found && JSON.parse(found[1]!);
  }
  expect(whole).toBe(huge);
  expect(await call('read_result', { ...args, page: 9 })).toEqual({
    content: [text('There is no page 9: the result has the pages 1 to 3.')],
    isError: true,
  });
  expect(await call('read_result', { result: 'x', page: 1 })).toEqual({
    content: [text('The result is no longer kept. Call its tool again.')],
    isError: true,
  });
});

test('the tool for the rest takes no name of the server', async () => {
  const own = { read_result: { handler: () => 'own' }, plain: tools.short };
  const { request, call } = await open('claude-ai', {}, own);
  const { tools: listed } = await request('tools/list');
  expect(listed.map(({ name }: Message) => name)).toEqual(['read_result', 'plain', 'read_result_2']);
  expect((await call('read_result')).content).toEqual([text('own')]);
  expect((await call('read_result_2', { result: 'x', page: 1 })).isError).toBe(true);
});

test('text blocks become one, and other blocks stay', async () => {
  const { call } = await open('codex-mcp-client');
  const { content } = await call('blocks');
  expect(content.map(({ type }: Message) => type)).toEqual(['text', 'image', 'resource_link']);
});

describe('structured content of a long result', () => {
  test('is left out without an output schema, and the text has it', async () => {
    const { call, read } = await open('codex-mcp-client');
    const result = await call('rows');
    expect(result).not.toHaveProperty('structuredContent');
    expect(JSON.parse(await read(result.content[1].uri))).toEqual({ rows });
    expect(result.content[1].mimeType).toBe('application/json');
  });

  test('joins a text with other facts if the client reads it in place of the text', async () => {
    const { call, read } = await open('codex-mcp-client');
    const { content } = await call('summary');
    expect(content[0].text.startsWith('3000 rows.\n\n{"rows":[{"id":0')).toBe(true);
    expect(await read(content[1].uri)).toBe(`3000 rows.\n\n${JSON.stringify({ rows })}`);
  });

  test('is shortened within the output schema, with the same text', async () => {
    const many = Array.from({ length: 20 }, () => rows).flat();
    const handler = () => ({
      content: [text(JSON.stringify({ rows: many }))],
      structuredContent: { rows: many },
    });
    const { call } = await open('claude-ai', {}, { many: { output: listSchema, handler } });
    const { content, structuredContent } = await call('many');
    expect(structuredContent.rows).toEqual(many.slice(0, 1000));
    const [head, note] = parts(content[0].text);
    expect(JSON.parse(head)).toEqual(structuredContent);
    expect(note).toContain('For the whole result, call "read_result" with {"result":');
    expect(note).toContain('"page":1}');
  });

  test('stays whole if its schema permits no shorter value', async () => {
    const output = { type: 'object', properties: { rows: { type: 'array', minItems: 50_000 } } };
    const many = Array.from({ length: 60_000 }, (_, index) => `row number ${index}`);
    const handler = () => ({
      content: [text(JSON.stringify({ rows: many }))],
      structuredContent: { rows: many },
    });
    const { call } = await open('claude-ai', {}, { many: { output, handler } });
    const { content, structuredContent } = await call('many');
    expect(structuredContent.rows).toEqual(many);
    expect(content[0].text.length).toBeLessThan(1_000_000);
  });
});

test.each([
  ['a client that writes long results to files', 'claude-code', {}],
  ['an unknown client', 'tester', {}],
  ['a mode that changes lost tools only', 'codex-mcp-client', { adapt: 'auto' }],
  ['a server that adapts nothing', 'codex-mcp-client', { adapt: 'off' }],
])('%s: results stay whole', async (_, clientName, server) => {
  const { call, request } = await open(clientName, server);
  expect(await call('long')).toMatchObject({ content: [{ text: long }] });
  expect((await call('rows')).structuredContent).toEqual({ rows });
  expect((await request('tools/list')).tools).toHaveLength(Object.keys(tools).length);
});

test('only the server that kept a result reads it', async () => {
  const [one, other] = [await open('codex-mcp-client'), await open('codex-mcp-client')];
  const { content } = await one.call('long');
  expect(await one.read(content[1].uri)).toBe(long);
  await expect(other.read(content[1].uri)).rejects.toMatchObject({
    message: expect.stringContaining('Resource not found'),
  });
});

describe('the result of a task', () => {
  const tasks = { elicitation: {}, extensions: { [tasksExtension]: {} } };

  async function finished(clientName: string, name: string, server: object = {}) {
    const served = {
      long: { ...tools.long, task: 'required' },
      rows: { ...tools.structured, task: 'required' },
    };
    const composed = await composeLive({
      tools: served as NonNullable<Served>,
      server: { tools: '*', adapt: 'on', ...server },
    });
    const options = { era: 'modern', clientName, capabilities: tasks } as const;
    const { request } = await openSession(composed, options);
    const { taskId } = await request('tools/call', { name, arguments: {} });
    // Clients can ask by another connection.
    const other = await openSession(composed, options);
    return await vi.waitFor(async () => {
      const task = await other.request('tasks/get', { taskId });
      expect(task.status).toBe('completed');
      return { read: other.request, result: task.result };
    }, 10_000);
  }

  test('is cut for a client that cuts, and resources have its rest', async () => {
    const { result, read } = await finished('codex-mcp-client', 'long');
    expect(result.resultType).toBe('complete');
    expect(result.content[0].text.length).toBeLessThan(40_000);
    const { contents } = await read('resources/read', { uri: result.content[1].uri });
    expect(contents[0].text).toBe(long);
  });

  test('has text for a client that reads only text', async () => {
    const { result } = await finished('crush', 'rows');
    expect(result.content).toEqual([text('{"count":2}')]);
    expect(result.structuredContent).toEqual({ count: 2 });
  });

  test('stays as it is for a client without limits, and with "adapt": "off"', async () => {
    expect((await finished('tester', 'long')).result.content).toEqual([text(long)]);
    expect((await finished('codex-mcp-client', 'long', { adapt: 'off' })).result.content).toEqual([
      text(long),
    ]);
  });
});
