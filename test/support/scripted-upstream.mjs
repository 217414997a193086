// An MCP server that misbehaves as it is told: `node scripted-upstream.mjs '{"era":"legacy","tools":["echo"]}'`.
// It knows nothing of the SDK, so that it can be wrong.
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const told = JSON.parse(process.argv[2] ?? '{}');
const { era = 'both', atStart, startMs = 0, logFile, name = 'scripted', http } = told;
let tools = told.tools ?? ['echo'];
let { prompts = [], resources = [] } = told;
const note = (line) => logFile && appendFileSync(logFile, `${line}\n`);
const stamp = 'io.modelcontextprotocol';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const pending = new Map();
const listeners = new Map();
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

/** One page per three entries. */
function list(key, entries, { cursor = '0' } = {}) {
  if (atStart === 'huge-list')
    return {
      [key]: Array.from({ length: 200_000 }, (_, at) => ({
        name: `t${at}`,
        inputSchema: { type: 'object' },
      })),
    };
  if (atStart === 'endless-list') return { [key]: [], nextCursor: String(Number(cursor) + 1) };
  const start = Number(cursor);
  const page = entries.slice(start, start + 3);
  return { [key]: page, ...(start + 3 < entries.length && { nextCursor: String(start + 3) }) };
}

const lists = {
  'tools/list': (params) => list('tools', tools.map(entryOf), params),
  'prompts/list': (params) => list('prompts', prompts, params),
  'resources/list': (params) => list('resources', resources, params),
  'resources/templates/list': (params) => {
    if (!told.templates) throw Object.assign(new Error('Method not found'), { code: -32_601 });
    return list('resourceTemplates', told.templates, params);
  },
};

/** Methods of prompts, resources and completions. */
const answers = {
  'prompts/get': async ({ name: prompt, arguments: args }, request) => {
    if (prompt === 'asks') {
      const answer = await ask(form('Your name?'), request);
      return { messages: [{ role: 'user', content: { type: 'text', text: `I am ${answer.content.name}` } }] };
    }
    if (!prompts.some((one) => one.name === prompt)) {
      throw Object.assign(new Error(`No prompt ${prompt}`), { code: -32_602, data: { known: [1] } });
    }
    const content = { type: 'text', text: `${name} says ${JSON.stringify(args ?? {})}` };
    return { description: 'Filled.', messages: [{ role: 'user', content, odd: 1 }], _meta: { own: 3 } };
  },
  'skills/list': (params) => list('skills', told.skills ?? [], params),
  'resources/read': ({ uri }) => {
    note(`read ${uri}`);
    const given = told.contents?.[uri];
    const hints = isModern && { ttlMs: 5, cacheScope: 'private' };
    if (given !== undefined) return { contents: [{ uri, mimeType: 'text/markdown', ...given }], ...hints };
    if (String(uri).includes('missing')) {
      throw Object.assign(new Error(`Nothing at ${uri}`), { code: -32_002, data: { uri } });
    }
    const contents = [{ uri, mimeType: 'text/plain', text: `${name} has ${uri}`, _meta: { own: 4 } }];
    return { contents, ...hints };
  },
  'completion/complete': ({ ref, argument, context }) => ({
    completion: { values: [JSON.stringify({ ref, argument, context })], total: 7, hasMore: true },
  }),
  'resources/subscribe': ({ uri }) => {
    note(`subscribe ${uri}`);
    return {};
  },
  'resources/unsubscribe': ({ uri }) => {
    note(`unsubscribe ${uri}`);
    return {};
  },
  'logging/setLevel': ({ level }) => {
    note(`level ${level}`);
    return {};
  },
  'tasks/get': ({ taskId }) => {
    const task = tasks.get(taskId);
    task.polls += 1;
    note(`poll ${task.polls}`);
    const status = task.polls < 2 ? 'working' : task.asks ? 'input_required' : 'completed';
    return { ...taskOf(taskId), status };
  },
  'tasks/result': async ({ taskId }, request) => {
    if (!tasks.get(taskId).asks)
      return { ...text('task done'), _meta: { [`${stamp}/related-task`]: { taskId } } };
    const answer = await ask(form('Your name?'), request);
    return text(`task for ${answer.content.name}`);
  },
  'tasks/cancel': ({ taskId }) => {
    note(`cancel ${taskId}`);
    return { ...taskOf(taskId), status: 'cancelled' };
  },
};

const tasks = new Map();
const taskOf = (taskId) => ({
  taskId,
  status: 'working',
  createdAt: new Date(0).toISOString(),
  lastUpdatedAt: new Date(0).toISOString(),
  ttl: 60_000,
  pollInterval: 50,
});

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
    const message = told.message ?? `no such thing as ${process.env.API_KEY}`;
    const data = told.message && { reason: 'kept' };
    throw Object.assign(new Error(message), { code: -32_050, data });
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
    changed('tools');
    return text('changed');
  },
  grow: ({ prompt, resource }) => {
    if (prompt) prompts = [...prompts, prompt];
    if (resource) resources = [...resources, resource];
    changed(prompt ? 'prompts' : 'resources');
    return text('grown');
  },
  touch: ({ uri }) => {
    announce('notifications/resources/updated', { uri }, (filter) => filter.resourceSubscriptions);
    return text('touched');
  },
  'log later': () => {
    setTimeout(() => {
      const params = { level: 'error', logger: 'far', data: 'late' };
      write({ jsonrpc: '2.0', method: 'notifications/message', params });
    }, 50);
    return text('soon');
  },
  'complete url': () => {
    const params = { elicitationId: 'e1' };
    write({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params });
    return text('completed');
  },
  late: () => text('late'),
};

const changed = (kind) =>
  announce(`notifications/${kind}/list_changed`, {}, (filter) => filter[`${kind}ListChanged`]);

/** Notifies the client, on the newest revision those that listen. */
function announce(method, params, isWanted) {
  if (!isModern) return write({ jsonrpc: '2.0', method, params });
  for (const [id, filter] of listeners) {
    if (!isWanted(filter)) continue;
    write({ jsonrpc: '2.0', method, params: { ...params, _meta: { [`${stamp}/subscriptionId`]: id } } });
  }
}

const serverInfo = { name, version: '1.0.0', ...(told.title && { title: told.title }) };
const capabilities = {
  tools: { listChanged: true },
  logging: {},
  ...(told.prompts && { prompts: { listChanged: true } }),
  ...((told.resources || told.templates) && { resources: { listChanged: true, subscribe: true } }),
  ...(told.skills && { extensions: { [`${stamp}/skills`]: {} } }),
  ...(told.completions && { completions: {} }),
  ...(told.tasks && { tasks: { requests: { tools: { call: {} } } } }),
};
const described = { capabilities, ...(told.instructions && { instructions: told.instructions }) };

async function answer(message) {
  const { id, method, params = {} } = message;
  if (method === 'server/discover') {
    if (told.discover === 'exit') process.exit(9);
    if (told.discover === 'silent') return undefined;
    if (era === 'legacy') throw Object.assign(new Error('Method not found'), { code: -32_601 });
    isModern = true;
    return { supportedVersions: ['2026-07-28'], ...described, ttlMs: 0, cacheScope: 'private' };
  }
  if (method === 'initialize') {
    if (era === 'modern') throw Object.assign(new Error('Method not found'), { code: -32_601 });
    return { protocolVersion: '2025-11-25', ...described, serverInfo };
  }
  if (Object.hasOwn(lists, method))
    return { ...lists[method](params), ...(isModern && { ttlMs: 0, cacheScope: 'private' }) };
  if (method === 'subscriptions/listen') {
    const { notifications } = params;
    listeners.set(id, notifications);
    if (notifications.resourceSubscriptions) note(`listen ${notifications.resourceSubscriptions.join(' ')}`);
    const _meta = { [`${stamp}/subscriptionId`]: id };
    write({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications, _meta },
    });
    return undefined;
  }
  if (Object.hasOwn(answers, method)) {
    const notify = () => {};
    return await withNeeds(async () => await answers[method](params, { id, params, notify }));
  }
  if (method !== 'tools/call') throw Object.assign(new Error('Method not found'), { code: -32_601 });
  note(`call ${params.name}`);
  if (params.task) {
    const taskId = `task-${tasks.size}`;
    tasks.set(taskId, { polls: 0, asks: params.name.includes('ask') });
    return { task: taskOf(taskId) };
  }
  const work = calls[params.name];
  if (!work) throw Object.assign(new Error(`Unknown tool: ${params.name}`), { code: -32_602 });
  const notify = (about, more) => write({ jsonrpc: '2.0', method: about, params: more });
  return await withNeeds(async () => await work(params.arguments ?? {}, { id, params, notify }));
}

async function withNeeds(work) {
  try {
    return await work();
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
    write({
      jsonrpc: '2.0',
      id,
      error: { code: error.code ?? -32_603, message: error.message, data: error.data },
    });
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
