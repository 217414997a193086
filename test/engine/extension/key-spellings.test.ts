import { describe, expect, test } from 'vitest';
import { translate, translateArgument } from '../../../src/engine/extension/key-spellings.js';

type Place = Parameters<typeof translate>[1];

describe('translates every spelling of a related system', () => {
  const rows: readonly [Place, string, string, unknown?, unknown?][] = [
    ['manifest', 'MCPServers', 'servers'],
    ['manifest', 'mcpServers', 'servers'],
    ['manifest', 'Servers', 'servers'],
    ['manifest', 'MCPPrompts', 'prompts'],
    ['manifest', 'mcpPrompts', 'prompts'],
    ['manifest', 'Tools', 'tools'],
    ['manifest', 'Resources', 'resources'],
    ['manifest', 'Apps', 'apps'],
    ['manifest', 'Root', 'root'],
    ['declaration', 'Name', 'name'],
    ['declaration', 'Description', 'description'],
    ['declaration', 'Parameters', 'parameters'],
    ['declaration', 'Arguments', 'arguments'],
    ['declaration', 'Tools', 'tools'],
    ['declaration', 'MCPPrompts', 'prompts'],
    ['declaration', 'MCPServerName', 'configKey'],
    ['declaration', 'mcpServerName', 'configKey'],
    ['tools', 'Name', 'name'],
    ['tools', 'Description', 'description'],
    ['tools', 'Function', 'handler'],
    ['tools', 'function', 'handler'],
    ['tools', 'Handler', 'handler'],
    ['tools', 'DisplayName', 'title'],
    ['tools', 'displayName', 'title'],
    ['tools', 'Initialization', 'initialize'],
    ['tools', 'initialization', 'initialize'],
    ['tools', 'Options', 'options'],
    ['tools', 'InputSchema', 'inputSchema'],
    ['prompts', 'Name', 'name'],
    ['prompts', 'Description', 'description'],
    ['prompts', 'Arguments', 'arguments'],
    ['prompts', 'Content', 'content'],
    ['prompts', 'DisplayName', 'title'],
    ['prompts', 'Type', 'type', 'Automatic', 'auto'],
    ['prompts', 'Type', 'type', 'Text', 'text'],
    ['prompts', 'Type', 'type', 'Function', 'function'],
    ['resources', 'DisplayName', 'title'],
    ['resources', 'Uri', 'uri'],
    ['servers', 'Name', 'name'],
    ['servers', 'ServerVersion', 'version'],
    ['servers', 'serverVersion', 'version'],
    ['servers', 'MCPServerName', 'configKey'],
    ['servers', 'mcpServerName', 'configKey'],
    ['servers', 'MCPPrompts', 'prompts'],
    ['servers', 'Initialization', 'initialize'],
    ['servers', 'DisplayName', 'title'],
    ['servers', 'Instructions', 'instructions'],
    ['servers', 'Transport', 'transport', 'StandardInputOutput', 'stdio'],
    ['servers', 'Transport', 'transport', 'HTTP', 'http'],
    ['servers', 'Transport', 'transport', 'ServerSentEvents', 'http'],
    ['servers', 'Transport', 'transport', 'constructor', 'constructor'],
  ];

  test.each(rows)('%s: %s is %s', (place, theirs, ours, given = 'value', expected = given) => {
    const { value, origins, conflicts, faults } = translate({ [theirs]: given }, place);
    expect(value).toEqual({ [ours]: expected });
    expect(origins.get(ours)).toEqual([theirs]);
    expect([conflicts, faults]).toEqual([[], []]);
  });
});

describe('Parameters become a field spec', () => {
  test.each([
    ['an object', { Parameters: { city: 'String' } }],
    ['pairs', { Parameters: [['city', { Interpreter: 'String' }]] }],
    ['camelCase', { parameters: { city: { Interpreter: 'String' } } }],
  ])('%s', (_, definition) => {
    expect(translate(definition, 'tools').value).toEqual({
      input: [['city', { type: 'string', required: true }]],
    });
  });

  test('reports an unsupported interpreter with its path', () => {
    const { value, faults } = translate({ Parameters: { city: 'Entity' } }, 'tools');
    expect(value).toEqual({});
    expect(faults).toEqual([
      {
        path: ['Parameters', 'city'],
        message: expect.stringContaining('"Entity" is not a known interpreter'),
      },
    ]);
  });
});

describe('LLMEvaluator is flattened', () => {
  test.each(['LLMEvaluator', 'llmEvaluator'])('%s', (key) => {
    const { value, origins } = translate(
      { [key]: { Tools: ['a'], MCPPrompts: ['b'], Prompts: ['Be kind.'], Temperature: 0.5 } },
      'servers',
    );
    expect(value).toEqual({
      tools: ['a'],
      prompts: ['b'],
      instructions: ['Be kind.'],
      evaluator: { Temperature: 0.5 },
    });
    expect(origins.get('tools')).toEqual([key, 'Tools']);
    expect(origins.get('prompts')).toEqual([key, 'MCPPrompts']);
    expect(origins.get('instructions')).toEqual([key, 'Prompts']);
  });

  test('camelCase inside it too', () => {
    const evaluator = { tools: ['a'], mcpPrompts: ['b'], prompts: ['Be kind.'] };
    expect(translate({ llmEvaluator: evaluator }, 'servers').value).toEqual({
      tools: ['a'],
      prompts: ['b'],
      instructions: ['Be kind.'],
    });
  });
});

describe('two spellings of one key', () => {
  test.each([
    ['tools', { DisplayName: 'theirs', title: 'ours' }, 'title', ['DisplayName']],
    ['tools', { title: 'ours', Title: 'theirs' }, 'title', ['Title']],
    ['servers', { MCPServerName: 'theirs', configKey: 'ours' }, 'configKey', ['MCPServerName']],
    ['servers', { LLMEvaluator: { Tools: ['theirs'] }, tools: 'ours' }, 'tools', ['LLMEvaluator', 'Tools']],
    ['manifest', { MCPServers: ['theirs'], servers: 'ours' }, 'servers', ['MCPServers']],
  ] as const)(
    'keeps the AgentTools spelling and reports the other one: %s %j',
    (place, definition, ours, path) => {
      const { value, conflicts, origins } = translate(definition, place);
      expect(value).toEqual({ [ours]: 'ours' });
      expect(conflicts).toEqual([{ path, ours }]);
      expect(origins.size).toBe(0);
    },
  );

  test('keeps the first spelling if both are foreign', () => {
    const { value, conflicts } = translate({ DisplayName: 'one', Title: 'two' }, 'tools');
    expect(value).toEqual({ title: 'one' });
    expect(conflicts).toEqual([{ path: ['Title'], ours: 'title' }]);
  });
});

test('our own spelling passes untouched', () => {
  const definition = { name: 'x', handler: './a.js' };
  expect(translate(definition, 'tools').value).toBe(definition);
});

test('keeps unknown keys', () => {
  const definition = { Handler: './a.js', 'x-note': 1, hanlder: 2, __proto__x: 3 };
  expect(translate(definition, 'tools').value).toEqual({
    handler: './a.js',
    'x-note': 1,
    hanlder: 2,
    __proto__x: 3,
  });
});

test('hostile keys are ordinary keys', () => {
  const definition = JSON.parse('{"Handler":"./a.js","__proto__":{"hidden":true},"constructor":1}');
  const { value } = translate(definition, 'tools');
  expect(Object.keys(value)).toEqual(['handler', '__proto__', 'constructor']);
  expect((value as { hidden?: unknown }).hidden).toBeUndefined();
});

test.each(['promptData', 'PromptData'])('%s is outdated and has no effect', (key) => {
  const { value, deprecated } = translate({ [key]: ['x'], tools: [] }, 'servers');
  expect(value).toEqual({ tools: [] });
  expect(deprecated).toEqual([[key]]);
});

test('the arguments of a prompt lose their capital letters', () => {
  expect(translateArgument({ Name: 'a', Description: 'b', Required: true })).toEqual({
    name: 'a',
    description: 'b',
    required: true,
  });
});
