import { Buffer } from 'node:buffer';

/** Numbers between 0 and 1 that are the same for the same seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const claim = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
};

/** What clients of both eras send to the conformance extension: method, and params without `_meta`. */
const requests: readonly (readonly [method: string, params: object])[] = [
  [
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
  ],
  ['ping', {}],
  ['server/discover', {}],
  ['tools/list', {}],
  ['tools/list', { cursor: 'x' }],
  ['tools/call', { name: 'test_simple_text', arguments: {} }],
  ['tools/call', { name: 'test_x_mcp_header', arguments: { region: 'eu', query: 'ü 🔑' } }],
  ['tools/call', { name: 'json_schema_2020_12_tool', arguments: { email: 'a@b.example', name: 'a' } }],
  ['tools/call', { name: 'test_error_handling' }],
  ['tools/call', { name: 'test_missing_capability' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'test://template/7/data' }],
  ['resources/read', { uri: 'test://static-binary' }],
  ['resources/subscribe', { uri: 'test://watched-resource' }],
  ['resources/unsubscribe', { uri: 'test://watched-resource' }],
  [
    'completion/complete',
    {
      ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      argument: { name: 'arg1', value: 't' },
    },
  ],
  ['logging/setLevel', { level: 'info' }],
  ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
];

const modernOnly: readonly (readonly [method: string, params: object])[] = [
  ['tools/call', { name: 'test_input_required_result_elicitation' }],
  [
    'tools/call',
    {
      name: 'test_input_required_result_elicitation',
      inputResponses: { user_name: { action: 'accept', content: { name: 'Ada' } } },
    },
  ],
  ['tools/call', { name: 'test_input_required_result_request_state', requestState: 'v1.e30.AAAA' }],
  ['tools/call', { name: 'test_tool_with_task', arguments: {} }],
  ['tools/call', { name: 'confirm_delete', arguments: { filename: 'a' } }],
  ['tasks/get', { taskId: '00000000-0000-4000-8000-000000000000' }],
  ['tasks/cancel', { taskId: '00000000-0000-4000-8000-000000000000' }],
  [
    'tasks/update',
    {
      taskId: '00000000-0000-4000-8000-000000000000',
      inputResponses: { e1: { action: 'accept', content: { confirm: true } } },
    },
  ],
  ['skills/list', {}],
  ['skills/get', { uri: 'skill://brewing-tea/SKILL.md' }],
  ['resources/directory/read', { uri: 'skill://brewing-tea/references' }],
  ['resources/read', { uri: 'skill://brewing-tea/references/times.md' }],
];

const notifications: readonly (readonly [method: string, params: object])[] = [
  ['notifications/initialized', {}],
  ['notifications/cancelled', { requestId: 1, reason: 'x' }],
  ['notifications/progress', { progressToken: 1, progress: 1 }],
  ['notifications/roots/list_changed', {}],
];

/** A value that belongs nowhere. */
const strangers: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  '\u0000',
  'x'.repeat(5000),
  '__proto__',
  '\ud800',
  'ü\u2028\u2029',
  '../../etc/passwd',
  [],
  {},
  [[[]]],
  { __proto__: null, toString: 1 },
  { 'io.modelcontextprotocol/protocolVersion': '1900-01-01' },
];

type Random = () => number;
// biome-ignore lint/suspicious/noExplicitAny: whatever a message has
type Value = any;

/** One line of a client that has lost its mind, or none of it: `id` is its own unless that was hit. */
export function mutatedLine(random: Random, id: number): Buffer {
  const message = soundMessage(random, id);
  for (let more = pick(random, [0, 1, 1, 1, 2, 3]); more > 0; more -= 1)
    pick(random, onValues)(random, message);
  let line: Buffer = Buffer.from(JSON.stringify(random() < 0.02 ? [message, message] : message));
  if (random() < 0.3) line = pick(random, onBytes)(random, line);
  // A line ends where the pipe says so.
  return line.includes(0x0a) ? Buffer.from(line.toString('latin1').replaceAll('\n', ' '), 'latin1') : line;
}

function soundMessage(random: Random, id: number): Value {
  if (random() < 0.05) return { jsonrpc: '2.0', id, result: {} };
  const isModern = random() < 0.5;
  const isNotification = random() < 0.1;
  const known = isNotification ? notifications : isModern ? [...requests, ...modernOnly] : requests;
  const [method, params] = structuredClone(pick(random, known)) as [string, Record<string, unknown>];
  if (isModern) params._meta = structuredClone(claim);
  if (random() < 0.2) params._meta = { ...(params._meta as object), progressToken: id };
  return { jsonrpc: '2.0', ...(!isNotification && { id }), method, params };
}

const onValues: readonly ((random: Random, message: Value) => void)[] = [
  (random, message) => {
    const [holder, key] = place(random, message);
    holder[key] = structuredClone(pick(random, strangers));
  },
  (random, message) => {
    const [holder, key] = place(random, message);
    delete holder[key];
  },
  (random, message) => {
    const [holder, key] = place(random, message);
    holder[`${key}${pick(random, ['', 'x', '\u0000', ' '])}`] = holder[key];
  },
  (random, message) => {
    const [holder] = place(random, message);
    holder[pick(random, ['_meta', 'id', 'method', 'params', 'cursor', 'arguments', 'constructor'])] =
      structuredClone(pick(random, strangers));
  },
  (random, message) => {
    message.method = pick(random, [...requests, ...notifications])[0];
  },
  (random, message) => {
    const [holder, key] = place(random, message);
    const nesting = pick(random, [200, 200, 501]);
    let nest: Value = holder[key];
    for (let depth = 0; depth < nesting; depth += 1) nest = depth % 2 ? [nest] : { nest };
    holder[key] = nest;
  },
];

const onBytes: readonly ((random: Random, line: Buffer) => Buffer)[] = [
  (random, line) => {
    const changed = Buffer.from(line);
    for (let more = 1 + random() * 4; more > 0; more -= 1) changed[index(random, line)] = random() * 256;
    return changed;
  },
  (random, line) => line.subarray(0, index(random, line)),
  (random, line) => line.subarray(index(random, line)),
  (random, line) => Buffer.concat([line.subarray(0, index(random, line)), line]),
  (_, line) => Buffer.concat([Buffer.from('\uFEFF'), line]),
  (random, line) => Buffer.concat([line, Buffer.from(pick(random, ['\r', '\0', '}', ' x', ',{}']))]),
];

/** Some member of a message, as who has it and its key. */
function place(random: Random, message: Value): [Value, string] {
  const all: [Value, string][] = [];
  const visit = (value: Value): void => {
    for (const key of Object.keys(value)) {
      all.push([value, key]);
      if (typeof value[key] === 'object' && value[key] !== null) visit(value[key]);
    }
  };
  visit(message);
  return all.length > 0 ? pick(random, all) : [message, 'x'];
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

const index = (random: Random, line: Buffer): number => Math.floor(random() * line.length);
