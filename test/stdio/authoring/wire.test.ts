import { expect, test } from 'vitest';
import { type Spoken, wireFaults } from '../../support/wire-schema.js';

const asked = (method: string): Spoken => ({ by: 'client', message: { jsonrpc: '2.0', id: 1, method } });
const said = (message: object): Spoken => ({ by: 'server', message: { jsonrpc: '2.0', ...message } });
const answered = (result: object): Spoken => said({ id: 1, result });

const list = { tools: [{ name: 'a', inputSchema: { type: 'object' } }] };
const question = {
  method: 'elicitation/create',
  params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
};

/** Exchanges that keep to the schema of the revision. */
const right: readonly [revision: string, ...exchange: Spoken[]][] = [
  ['2024-11-05', asked('ping'), answered({})],
  ['2025-03-26', asked('tools/list'), answered(list)],
  ['2025-06-18', said({ id: 7, ...question })],
  ['2025-11-25', asked('resources/subscribe'), answered({})],
  ['2025-11-25', said({ method: 'notifications/tools/list_changed' })],
  [
    '2026-07-28',
    asked('tools/list'),
    answered({ ...list, resultType: 'complete', ttlMs: 0, cacheScope: 'private' }),
  ],
  [
    '2026-07-28',
    asked('tools/call'),
    answered({ resultType: 'input_required', inputRequests: { a: question } }),
  ],
  ['2026-07-28', asked('x'), said({ id: 1, error: { code: -32601, message: 'Method not found' } })],
];

test.each(right)('%s: right', (revision, ...exchange) => {
  expect(wireFaults(revision, exchange)).toEqual([]);
});

/** Exchanges that do not, and what is said of them. */
const wrong: readonly [says: RegExp, revision: string, ...exchange: Spoken[]][] = [
  [/nobody asked for/, '2025-11-25', answered({})],
  [
    /no ListToolsResult: \/tools\/0 .*inputSchema/,
    '2025-11-25',
    asked('tools/list'),
    answered({ tools: [{ name: 'a' }] }),
  ],
  [
    /no ListToolsResult: .*ttlMs/,
    '2026-07-28',
    asked('tools/list'),
    answered({ ...list, resultType: 'complete' }),
  ],
  [/no CallToolResult: .*content/, '2026-07-28', asked('tools/call'), answered({ resultType: 'complete' })],
  [
    /no InputRequiredResult: \/inputRequests\/a/,
    '2026-07-28',
    asked('tools/call'),
    answered({ resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create' } } }),
  ],
  [/sends no requests/, '2026-07-28', said({ id: 7, ...question })],
  [/not among what a server sends/, '2025-03-26', said({ id: 7, ...question })],
  [/not among what a server sends/, '2025-11-25', said({ method: 'notifications/tools/changed' })],
  [/no JSONRPCErrorResponse/, '2025-11-25', asked('ping'), said({ id: 1, error: { code: 1 } })],
  [
    /no MissingRequiredClientCapabilityError/,
    '2026-07-28',
    asked('tools/call'),
    said({ id: 1, error: { code: -32021, message: 'no' } }),
  ],
];

test.each(wrong)('wrong: %s', (says, revision, ...exchange) => {
  expect(wireFaults(revision, exchange)).toEqual([expect.stringMatching(says)]);
});
