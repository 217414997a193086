import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { readCaptures, readLimits, withLimits } from '../../../.scripts/limits.mjs';
import { clients } from '../../../src/engine/clients/table/index.js';
import { clientLimits, limitSubjects } from '../../../src/engine/compatibility/client-limits.js';
import { compatibilityRules } from '../../../src/engine/compatibility/compatibility-rules.js';
import { judgeFinding, judgeTool } from '../../../src/engine/compatibility/judge-findings.js';
import { measureSchema } from '../../../src/engine/compatibility/schema-checks.js';
import {
  type CallFacts,
  checkCalls,
  checkServer,
  checkTool,
  type ListedTool,
} from '../../../src/engine/compatibility/surface-checks.js';
import { recordedServers } from '../../support/recorded-servers.js';

const schemaFile = new URL('../../../src/engine/compatibility/client-limits.schema.json', import.meta.url);

describe('the table of limits', () => {
  test('matches its schema', () => {
    const ajv = new Ajv2020({ allErrors: true });
    addFormats.default(ajv);
    const check = ajv.compile(JSON.parse(readFileSync(schemaFile, 'utf8')));
    expect(check(readLimits())).toBe(true);
    expect(check.errors).toBe(null);
  });

  test('names known subjects and clients only', () => {
    const ids = limitSubjects.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { subject } of clientLimits) expect(ids).toContain(subject);
    for (const { uses = [] } of limitSubjects) for (const id of uses) expect(ids).toContain(id);
    for (const { id, kind } of limitSubjects.filter((one) => one.kind === 'client')) {
      expect([kind, clients.map((client) => client.id)]).toEqual(['client', expect.arrayContaining([id])]);
    }
  });

  test('has at least one row for each rule. The other rows limit the start, and what adaptation alone can change', () => {
    const codes = new Set(compatibilityRules.map(({ code }) => code));
    const limited = clientLimits.map((limit) => limit.code);
    // Tokens have a budget, and no limit of a client.
    expect([...codes].filter((code) => !limited.includes(code))).toEqual(['compat/token-budget']);
    const others = clientLimits.filter(({ code }) => !codes.has(code)).map(({ code }) => code);
    expect([...new Set(others)]).toEqual(['slow-start', 'serve/progress', 'serve/output-schema']);
  });

  test('is the table of the page', () => {
    const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
    expect(page).toBe(withLimits(page, readLimits()));
    expect(page).toContain('| Codex | >=0.153 | 5,000 bytes |');
    expect(page).toContain('names beyond `^[a-zA-Z0-9_.-]{1,64}$` |');
    expect(page.match(/^# /gm)).toHaveLength(1);
  });
});

const tool = (inputSchema: object, more = {}) => ({
  name: 'find',
  description: 'Finds.',
  inputSchema,
  ...more,
});

const faults = (listed: ReturnType<typeof tool>, ...ids: string[]) =>
  judgeTool(checkTool(listed), ids.length > 0 ? new Set(ids) : undefined);

describe('a tool', () => {
  test('in the safe subset has no fault in any client', () => {
    const schema = {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'The text.' },
        kind: { type: 'string', enum: ['a', 'b'] },
        tags: { type: 'array', items: { type: 'string' } },
        place: { type: 'object', properties: { lat: { type: 'number' } } },
      },
      required: ['text'],
      additionalProperties: false,
    };
    expect(faults(tool(schema), ...limitSubjects.map(({ id }) => id))).toEqual([]);
  });

  test('with the schema true is an error, with the clients that lose all tools', () => {
    const schema = { type: 'object', properties: { any: true } };
    expect(faults(tool(schema))).toEqual([
      {
        code: 'compat/tool-list-rejected',
        severity: 'error',
        message:
          'The parameter "any" has the schema true. Gemini CLI, OpenCode and Cline lose all tools of the server. Use {} instead.',
        path: ['inputSchema', 'properties', 'any'],
      },
    ]);
  });

  test.for<[string, object, string]>([
    ['null', { description: null }, '"description" is null'],
    ['an output without type', { outputSchema: { properties: {} } }, '"outputSchema" does not have the type'],
    ['null in place of properties', { inputSchema: { type: 'object', properties: null } }, '"properties"'],
    ['an object in place of required', { inputSchema: { type: 'object', required: {} } }, '"required"'],
  ])('with %s loses all tools', ([, change, problem]) => {
    const [first] = faults({ ...tool({ type: 'object' }), ...change });
    expect(first).toMatchObject({ code: 'compat/tool-list-rejected', severity: 'error' });
    expect(first!.message).toContain(problem);
  });

  test('is judged for the chosen clients only', () => {
    const schema = { type: 'object', properties: {}, anyOf: [{}] };
    const severityIn = (id: string) => faults(tool(schema), id).map(({ severity }) => severity);
    expect(severityIn('claude-code')).toEqual(['info']);
    expect(severityIn('openai-chat-api')).toEqual(['warning']);
    expect(severityIn('vscode')).toEqual(['warning']);
    expect(severityIn('copilot-cli')).toEqual(['info']);
    expect(severityIn('codex')).toEqual([]);
  });

  test('has a fault without chosen clients if a measured client loses it', () => {
    const named = (name: string) =>
      faults(tool({ type: 'object', properties: { [name]: { type: 'string' } } }));
    expect(named('a b').map(({ code }) => code)).toEqual(['compat/param-name-charset']);
    const nested = { type: 'object', properties: { 'a b': { type: 'string' } } };
    expect(faults(tool({ type: 'object', properties: { outer: nested } }))).toEqual([]);
    // Only the Gemini API refuses dots.
    expect(named('a.b')).toEqual([]);
  });

  test('over 5,000 bytes is one for Codex, measured without the keywords that Codex deletes', () => {
    const text = 'x'.repeat(4900);
    const sized = (more: string) =>
      tool({
        type: 'object',
        properties: { a: { type: 'string', description: text + more, pattern: 'y'.repeat(900) } },
      });
    expect(faults(sized(''), 'codex').map(({ code }) => code)).toEqual(['compat/keyword-lost']);
    const [size] = faults(sized('z'.repeat(100)), 'codex').filter(
      ({ code }) => code === 'compat/schema-size',
    );
    expect(size!.message).toMatch(
      /^The input schema has 5,\d{3} bytes\. Codex drops all parameter descriptions \(limit: 5,000 bytes\)\./,
    );
  });

  test('needs no words for values that generators of schemas write', () => {
    const limits = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER, format: 'int32' };
    const properties = {
      count: { type: 'integer', ...limits },
      all: { type: 'boolean', default: false },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1, default: [] },
    };
    expect(faults(tool({ type: 'object', properties }), 'codex')).toEqual([]);
    const [lost] = faults(
      tool({ type: 'object', properties: { count: { type: 'integer', ...limits, minimum: 2 } } }),
      'codex',
    );
    expect(lost!.message).toContain('does not repeat "minimum".');
  });

  test('has one fault for each code, with the number of places', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'array' }, b: { type: 'array' }, c: { type: 'array' } },
    };
    const [fault, ...others] = faults(tool(schema), 'vscode');
    expect(others).toEqual([]);
    expect(fault!.message).toMatch(/ The same in 2 other places of the tool\.$/);
  });
});

test('names of tools are measured with the key and the additions of the client', () => {
  const judge = (key: string, name: string, client: string) =>
    [...checkServer({ key, tools: [name] })].flatMap((one) => judgeFinding(one, new Set([client])) ?? []);
  const name = 'n'.repeat(50);
  expect(judge('k'.repeat(9), name, 'cursor')).toEqual([]);
  expect(judge('k'.repeat(10), name, 'cursor')).toMatchObject([
    { code: 'compat/tool-name-length', severity: 'warning' },
  ]);
});

test('names that differ in punctuation only are one name, equal names another fault', () => {
  const judge = (...tools: string[]) =>
    [...checkServer({ key: 'k', tools })].flatMap((one) => judgeFinding(one, undefined) ?? []);
  expect(judge('a.b', 'a_b', 'c')).toMatchObject([{ code: 'compat/tool-name-collision', severity: 'error' }]);
  expect(judge('a', 'a')).toEqual([]);
});

describe('patterns', () => {
  const found = (pattern: string, ...ids: string[]) =>
    faults(
      tool({ type: 'object', properties: { code: { type: 'string', pattern, description: pattern } } }),
      ...ids,
    ).map(({ code, message }) => [code, message.split('. ')[0]]);

  test.each([
    ['^[A-Za-z0-9_.-]{1,9}$', 0],
    ['^(?:a|b)+$', 0],
    ['^(?!x)y$', 1],
    ['^(?<=x)y$', 1],
    ['^(a)\\1$', 1],
    ['^(?<year>[0-9]+)$', 1],
    ['^\\p{L}+$', 1],
    ['^\\d+$', 1],
    ['[a-z]+', 1],
    ['(?=x)\\d', 1],
  ])('%s has %i findings in LM Studio', (pattern, count) => {
    expect(found(pattern, 'lm-studio')).toHaveLength(count);
  });

  test('with look-around are refused by OpenAI models, others are not', () => {
    expect(found('^(?!x)y$', 'openai-chat-api')).toEqual([
      ['compat/pattern-dialect', 'The pattern "^(?!x)y$" looks around or back'],
    ]);
    expect(found('\\d', 'openai-chat-api')).toEqual([]);
  });

  test('are no matter without chosen clients', () => {
    expect(found('(?!x)\\d')).toEqual([]);
  });
});

describe('calls', () => {
  const judged = (facts: CallFacts, ...ids: string[]) =>
    judgeTool(checkCalls(facts), ids.length > 0 ? new Set(ids) : undefined);

  test('name the clients that they outlast, with their limits', () => {
    const [fault] = judged({ needs: [], timeoutMs: 200_000 }, 'cline', 'copilot-cli', 'codex');
    expect(fault).toMatchObject({ code: 'compat/slow-tool', severity: 'warning', path: ['timeoutMs'] });
    expect(fault!.message).toContain('Cline gives up on the call (limit: 60 seconds);');
    expect(fault!.message).toContain('Copilot CLI gives up on the call (limit: 180 seconds).');
    expect(fault!.message).not.toContain('Codex');
  });

  test('within the time of all clients have no fault', () => {
    const all = limitSubjects.map(({ id }) => id);
    expect(judged({ needs: [], timeoutMs: 60_000 }, ...all)).toEqual([]);
    expect(judged({ needs: [] }, ...all)).toEqual([]);
  });

  test('concern the clients without a feature that they need', () => {
    const needs = [{ feature: 'sampling', path: ['requires'] }];
    expect(judged({ needs }, 'claude-code')[0]).toMatchObject({
      code: 'compat/feature-unsupported',
      severity: 'warning',
      message: expect.stringContaining('Claude Code does not sample, so calls fail.'),
    });
    expect(judged({ needs }, 'copilot-cli', 'vscode')).toEqual([]);
    expect(judged({ needs })).toEqual([]);
  });

  test('need tasks if the list of an existing server demands it', () => {
    const listed = tool({ type: 'object' }, { execution: { taskSupport: 'required' } });
    expect(faults(listed, 'codex')).toMatchObject([
      { code: 'compat/feature-unsupported', path: ['execution', 'taskSupport'] },
    ]);
    expect(faults(tool({ type: 'object' }, { execution: { taskSupport: 'optional' } }), 'codex')).toEqual([]);
  });
});

describe('the size of a schema', () => {
  const note = { type: 'object', properties: { text: { type: 'string' } } };

  test('leaves out definitions that no reference leads to', () => {
    const bare = { type: 'object', properties: { note } };
    expect(measureSchema({ ...bare, $defs: { note }, definitions: { note } })).toBe(measureSchema(bare));
  });

  test('counts definitions that references lead to, also from other definitions', () => {
    const properties = { a: { $ref: '#/$defs/a~1b' } };
    const used = {
      'a/b': { properties: { c: { $ref: '#/definitions/c' }, self: { $ref: '#/$defs/a~1b' } } },
    };
    const schema = { type: 'object', properties, $defs: used, definitions: { c: note } };
    expect(measureSchema(schema)).toBe(JSON.stringify(schema).length);
    expect(measureSchema({ ...schema, $defs: { ...used, other: note } })).toBe(JSON.stringify(schema).length);
  });
});

// The captured request of Codex has all descriptions of Notion's tools: the definitions of the largest have no reference.
test('the size rule finds the tools of real servers that Codex damages in its capture', () => {
  const { direct } = readCaptures().find(({ client }) => client === 'codex')!.harm;
  for (const name of ['brave-search', 'mongodb', 'notion', 'desktop-commander']) {
    const { exchanges } = recordedServers[name]!;
    const tools = exchanges.find(({ method }) => method === 'tools/list')!.result!.tools as ListedTool[];
    const large = tools.filter((one) =>
      judgeTool(checkTool(one), new Set(['codex'])).some(({ code }) => code === 'compat/schema-size'),
    );
    expect([name, large.map((one) => one.name)]).toEqual([name, direct[name]!.damaged]);
  }
});
