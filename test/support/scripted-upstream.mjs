// An MCP server that misbehaves as it is told: `node scripted-upstream.mjs '{"era":"legacy","tools":["echo"]}'`.
// It knows nothing of the SDK, so that it can be wrong.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const told = JSON.parse(process.argv[2] ?? '{}');
const { era = 'both', atStart, startMs = 0, logFile, name = 'scripted', http } = told;
let tools = told.tools ?? ['echo'];
const note = (line) => logFile && appendFileSync(logFile, `${line}\n`);
const stamp = 'io.modelcontextprotocol';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const pending = new Map();
const listeners = new Set();
let lastId = 0;
let isModern = false;

note('start');
note(`pid ${process.pid}`);
if (atStart === 'crash') {
  process.stderr.write('cannot open the database\n');
  process.exit(3);
}
// How often it was started is told by what it noted.
if (
  atStart === 'crash-first' &&
  readFileSync(logFile, 'utf8').match(/start/g).length <= (told.crashes ?? 1)
) {
  process.exit(4);
}
if (atStart === 'flood') {
  const block = 'x'.repeat(1024 * 1024);
  for (let sent = 0; sent < 40; sent += 1) process.stdout.write(block);
}
if (atStart === 'garbage') process.stdout.write('Listening with token s3cret-value!\n\u0007{"half":\n');

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const text = (value, more) => ({ content: [{ type: 'text', text: value }], ...more });
const object = (properties = {}) => ({ type: 'object', properties });

const entries = {
  bad: () => ({ name: 'bad', inputSchema: 'none' }),
  'no name': () => ({ inputSchema: object() }),
  'bad name': () => ({ name: 'bad name', inputSchema: object() }),
  rich: () => ({
    name: 'rich',
    title: 'Rich',
    description: 'Has everything.',
    inputSchema: object({ a: { type: 'number' } }),
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    annotations: { readOnlyHint: true },
    icons: [{ src: 'https://example.com/icon.png' }],
    _meta: { category: 'theirs', own: 1, ui: { resourceUri: 'ui://x' } },
  }),
  'app-only': () => ({ name: 'app-only', inputSchema: object(), _meta: { ui: { visibility: ['app'] } } }),
};

/** A tool by its name, or as it is. */
const entryOf = (tool) =>
  (typeof tool === 'object' ? tool : entries[tool]?.()) ?? {
    name: tool,
    description: `Does ${tool}.`,
    inputSchema: object(),
  };

/** One page per three tools. */
function list({ cursor = '0' } = {}) {
  if (atStart === 'endless-list') return { tools: [], nextCursor: String(Number(cursor) + 1) };
  const start = Number(cursor);
  const page = tools.slice(start, start + 3).map(entryOf);
  return { tools: page, ...(start + 3 < tools.length && { nextCursor: String(start + 3) }) };
}

/** Asks the client, by a request in the middle, or by ending with what is asked. */
class NeedsInput {
  constructor(requests, state) {
    this.result = {
      resultType: 'input_required',
      inputRequests: requests,
      requestState: JSON.stringify(state),
    };
  }
}

async function ask(request, { params }, key = 'q') {
  if (!isModern) return await requestOf(request);
  const state = JSON.parse(params.requestState ?? '{}');
  const answers = { ...state, ...params.inputResponses };
  if (answers[key]) return answers[key];
  throw new NeedsInput({ [key]: request }, answers);
}

function requestOf({ method, params }) {
  lastId += 1;
  const id = `s${lastId}`;
  write({ jsonrpc: '2.0', id, method, ...(params && { params }) });
  return new Promise((resolve, reject) => pending.set(id, { resolve, reject }));
}

const form = (message) => ({
  method: 'elicitation/create',
  params: {
    message,
    mode: 'form',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  },
});

const calls = {
  echo: (args) => text(`${name} echoes ${JSON.stringify(args)}`),
  rich: ({ a }) =>
    text('sum', { structuredContent: { sum: a }, _meta: { own: 2, ui: { resourceUri: 'ui://x' } } }),
  'without sum': () => text('no sum'),
  fail: () => text('it cannot be', { isError: true }),
  environment: () => text(JSON.stringify({ ...process.env, cwd: process.cwd() })),
  crash: () => {
    process.stderr.write(`first\nout of \u001b[31mmemory with ${process.env.API_KEY}\n`);
    process.exit(7);
  },
  orphan: async () => {
    // Who is started holds the pipe open.
    const { spawn } = await import('node:child_process');
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { stdio: 'inherit' });
    process.exit(8);
  },
  hang: () => new Promise(() => {}),
  slow: async ({ ms }) => {
    await sleep(ms);
    return text('at last');
  },
  flood: () => {
    const block = 'x'.repeat(1024 * 1024);
    for (let sent = 0; sent < 50; sent += 1) process.stdout.write(block);
    return new Promise(() => {});
  },
  'no result': () => 42,
  'no content': () => ({ answer: 42 }),
  'bad block': () => ({ content: [{ type: 'image', data: 7 }] }),
  error: () => {
    throw Object.assign(new Error(`no such thing as ${process.env.API_KEY}`), { code: -32_050 });
  },
  'wrong id': (_args, { id }) => {
    write({ jsonrpc: '2.0', id: `not-${id}`, result: text('for nobody') });
    write({ jsonrpc: '2.0', id: 999, result: text('for nobody') });
    return text('for you');
  },
  progress: async (_args, { params, notify }) => {
    const progressToken = params._meta?.progressToken;
    if (progressToken === undefined) return text('nobody asked');
    for (const progress of [1, 2]) {
      notify('notifications/progress', { progressToken, progress, total: 2, message: `step ${progress}` });
    }
    return text('done');
  },
  log: (_args, { notify }) => {
    notify('notifications/message', { level: 'warning', data: 'careful' });
    return text('logged');
  },
  ask: async (_args, request) => {
    const answer = await ask(form('Your name?'), request);
    return text(`${answer.action} ${answer.content?.name ?? ''}`.trim());
  },
  'ask twice': async (_args, request) => {
    note('asks');
    const first = await ask(form('First?'), request, 'a');
    const second = await ask(form('Second?'), request, 'b');
    return text(`${first.content?.name} ${second.content?.name}`);
  },
  'ask url': async (_args, request) => {
    const params = { mode: 'url', message: 'Log in', url: 'https://example.com/login', elicitationId: 'e1' };
    if (isModern) delete params.elicitationId;
    const answer = await ask({ method: 'elicitation/create', params }, request);
    return text(answer.action);
  },
  sample: async (_args, request) => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'Say hi' } }];
    const params = { messages, maxTokens: 10 };
    const answer = await ask({ method: 'sampling/createMessage', params }, request);
    return text(`model says ${answer.content.text}`);
  },
  roots: async (_args, request) => {
    const answer = await ask({ method: 'roots/list' }, request);
    return text(answer.roots.map(({ uri }) => uri).join(' ') || 'none');
  },
  change: () => {
    tools = [...tools, 'late'];
    changed();
    return text('changed');
  },
  late: () => text('late'),
};

function changed() {
  const method = 'notifications/tools/list_changed';
  if (!isModern) return write({ jsonrpc: '2.0', method });
  for (const id of listeners) {
    write({ jsonrpc: '2.0', method, params: { _meta: { [`${stamp}/subscriptionId`]: id } } });
  }
}

const serverInfo = { name, version: '1.0.0' };
const capabilities = { tools: { listChanged: true }, logging: {} };

async function answer(message) {
  const { id, method, params = {} } = message;
  if (method === 'server/discover') {
    if (told.discover === 'exit') process.exit(9);
    if (told.discover === 'silent') return undefined;
    if (era === 'legacy') throw Object.assign(new Error('Method not found'), { code: -32_601 });
    isModern = true;
    return { supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' };
  }
  if (method === 'initialize') {
    if (era === 'modern') throw Object.assign(new Error('Method not found'), { code: -32_601 });
    return { protocolVersion: '2025-11-25', capabilities, serverInfo };
  }
  if (method === 'tools/list')
    return { ...list(params), ...(isModern && { ttlMs: 0, cacheScope: 'private' }) };
  if (method === 'subscriptions/listen') {
    listeners.add(id);
    const _meta = { [`${stamp}/subscriptionId`]: id };
    write({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: params.notifications, _meta },
    });
    return undefined;
  }
  if (method !== 'tools/call') throw Object.assign(new Error('Method not found'), { code: -32_601 });
  note(`call ${params.name}`);
  const work = calls[params.name];
  if (!work) throw Object.assign(new Error(`Unknown tool: ${params.name}`), { code: -32_602 });
  const notify = (about, more) => write({ jsonrpc: '2.0', method: about, params: more });
  try {
    return await work(params.arguments ?? {}, { id, params, notify });
  } catch (error) {
    if (error instanceof NeedsInput) return error.result;
    throw error;
  }
}

async function receive(message) {
  const { id, method } = message;
  if (method === undefined) {
    const waiting = pending.get(id);
    pending.delete(id);
    if (message.error) waiting?.reject(Object.assign(new Error(message.error.message), { code: -32_000 }));
    else waiting?.resolve(message.result);
    return;
  }
  if (id === undefined) {
    const isReady = method === 'notifications/initialized';
    if (told.asksRoots && (isReady || method === 'notifications/roots/list_changed')) {
      const { roots } = await requestOf({ method: 'roots/list' });
      note(`works in ${roots.map(({ uri }) => uri).join(' ') || 'nothing'}`);
    }
    if (method === 'notifications/cancelled') note(`cancelled ${message.params.requestId}`);
    return;
  }
  try {
    const result = await answer(message);
    if (result === undefined) return;
    const meta = isModern && { _meta: { [`${stamp}/serverInfo`]: serverInfo, ...result._meta } };
    const whole =
      typeof result === 'object'
        ? { ...(isModern && { resultType: 'complete' }), ...result, ...meta }
        : result;
    write({ jsonrpc: '2.0', id, result: whole });
  } catch (error) {
    write({ jsonrpc: '2.0', id, error: { code: error.code ?? -32_603, message: error.message } });
  }
}

if (http) {
  // Answers every request with one status.
  const server = createServer((request, response) => {
    note(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.writeHead(http.status, http.headers).end(http.body ?? '');
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
} else {
  let partial = '';
  let queue = sleep(startMs);
  process.stdin.setEncoding('utf8').on('data', (chunk) => {
    const lines = (partial + chunk).split('\n');
    partial = lines.pop();
    queue = queue.then(() => {
      if (atStart === 'hang') return;
      for (const line of lines) void receive(JSON.parse(line));
    });
  });
  process.stdin.on('end', () => {
    if (told.atEnd !== 'stay') process.exit(0);
  });
}
