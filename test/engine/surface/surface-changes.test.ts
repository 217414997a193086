import { describe, expect, test } from 'vitest';
import {
  formatPackageSurface,
  itemsByKey,
  type PackageSurface,
  parsePackageSurface,
} from '../../../src/engine/surface/recorded-surface.js';
import { surfaceChanges } from '../../../src/engine/surface/surface-changes.js';

const base = {
  name: 'forecast',
  description: 'Forecasts the weather.',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', description: 'A city', minLength: 2 },
      days: { type: 'integer', minimum: 1, maximum: 10 },
      units: { enum: ['metric', 'imperial'] },
    },
    required: ['city'],
  },
  outputSchema: {
    type: 'object',
    properties: { degrees: { type: 'number' }, sky: { enum: ['clear', 'cloudy'] } },
    required: ['degrees'],
  },
  annotations: { readOnlyHint: true },
};

function surfaceOf(tools: readonly object[], more: object = {}): PackageSurface {
  const lists = { prompts: {}, resources: {}, resourceTemplates: {} };
  const server = { name: 'weather', instructions: 'Be brief.' };
  return { weather: { server, tools: itemsByKey('tools', tools as never), ...lists, ...more } };
}

/** The changes of a tool, as `step path what`. */
function changesOf(after: object, before: object = base): readonly string[] {
  return [...surfaceChanges(surfaceOf([before]), surfaceOf([after]))].map(
    ({ step, path, what }) => `${step} ${path.join('/')} ${what}`,
  );
}

type Parts = Record<string, object>;

/** The tool with other properties of its input or output. */
function withSchema(side: 'inputSchema' | 'outputSchema', properties: Parts, more: object = {}): object {
  const { [side]: schema } = base;
  return { ...base, [side]: { ...schema, properties: { ...schema.properties, ...properties }, ...more } };
}

describe('the step that a change of a tool needs', () => {
  const input = (properties: Parts, more?: object) => withSchema('inputSchema', properties, more);
  const output = (properties: Parts, more?: object) => withSchema('outputSchema', properties, more);
  const { annotations: _, ...unannotated } = base;
  const { outputSchema: __, ...outputless } = base;

  test.each<[string, object, string]>([
    ['another description', { ...base, description: 'x' }, 'patch description has another text'],
    [
      'a new optional argument',
      input({ zip: { type: 'string' } }),
      'minor inputSchema/properties/zip is new',
    ],
    [
      'a new required argument',
      input({ zip: { type: 'string' } }, { required: ['city', 'zip'] }),
      'major inputSchema/properties/zip is new and required',
    ],
    [
      'an argument that becomes required',
      input({}, { required: ['city', 'days'] }),
      'major inputSchema/required/days accepts less',
    ],
    [
      'an argument that becomes optional',
      input({}, { required: [] }),
      'minor inputSchema/required/city accepts more',
    ],
    [
      'fewer choices',
      input({ units: { enum: ['metric'] } }),
      'major inputSchema/properties/units/enum accepts less',
    ],
    [
      'more choices',
      input({ units: { enum: ['metric', 'imperial', 'si'] } }),
      'minor inputSchema/properties/units/enum accepts more',
    ],
    [
      'a smaller range',
      input({ days: { type: 'integer', minimum: 1, maximum: 5 } }),
      'major inputSchema/properties/days/maximum accepts less',
    ],
    [
      'a greater range',
      input({ days: { type: 'integer', maximum: 10 } }),
      'minor inputSchema/properties/days/minimum accepts more',
    ],
    [
      'a wider type',
      input({ days: { type: 'number', minimum: 1, maximum: 10 } }),
      'minor inputSchema/properties/days/type accepts more',
    ],
    [
      'another type',
      input({ city: { type: 'array', description: 'A city', minLength: 2 } }),
      'major inputSchema/properties/city/type changed',
    ],
    [
      'another text of an argument',
      input({ city: { type: 'string', description: 'A town', minLength: 2 } }),
      'patch inputSchema/properties/city/description has another text',
    ],
    [
      'no other arguments',
      input({}, { additionalProperties: false }),
      'major inputSchema/additionalProperties accepts less',
    ],
    ['an unknown keyword', input({}, { if: {} }), 'major inputSchema/if changed'],
    ['no output schema', outputless, 'major outputSchema is gone'],
    [
      'a new result member',
      output({ wind: { type: 'number' } }),
      'minor outputSchema/properties/wind is new',
    ],
    [
      'more possible results',
      output({ sky: { enum: ['clear', 'cloudy', 'storm'] } }),
      'major outputSchema/properties/sky/enum accepts more',
    ],
    [
      'fewer possible results',
      output({ sky: { enum: ['clear'] } }),
      'minor outputSchema/properties/sky/enum accepts less',
    ],
    [
      'a result member that may be missing',
      output({}, { required: [] }),
      'major outputSchema/required/degrees accepts more',
    ],
    ['no promise to only read', unannotated, 'major annotations/readOnlyHint is false instead of true'],
    [
      'a promise not to destroy',
      { ...base, annotations: { readOnlyHint: true, destructiveHint: false } },
      'minor annotations/destructiveHint is false instead of true',
    ],
    [
      'a default that is written',
      { ...base, annotations: { readOnlyHint: true, destructiveHint: true } },
      'patch annotations/destructiveHint has another spelling',
    ],
    ['another app', { ...base, _meta: { ui: { resourceUri: 'ui://x' } } }, 'minor _meta changed'],
  ])('%s', (_name, after, expected) => {
    expect(changesOf(after)).toEqual([expected]);
  });

  test('a removed member of the result is major', () => {
    const { properties } = base.outputSchema;
    const after = {
      ...base,
      outputSchema: { ...base.outputSchema, properties: { degrees: properties.degrees } },
    };
    expect(changesOf(after)).toEqual(['major outputSchema/properties/sky is gone']);
  });

  test('a new output schema is minor', () => {
    expect(changesOf(base, outputless)).toEqual(['minor outputSchema is new']);
  });
});

describe('the step that a change of a package needs', () => {
  const steps = (before: PackageSurface, after: PackageSurface) =>
    [...surfaceChanges(before, after)].map(({ kind, name, step, what }) => `${step} ${kind} ${name} ${what}`);

  test('a new tool is minor, a removed one major', () => {
    const [one, two] = [surfaceOf([base]), surfaceOf([base, { ...base, name: 'now' }])];
    expect(steps(one, two)).toEqual(['minor tools now is new']);
    expect(steps(two, one)).toEqual(['major tools now is gone']);
  });

  test('a new server is minor, a removed one major', () => {
    const one = surfaceOf([base]);
    const two = { ...one, second: one.weather! };
    expect(steps(one, two)).toEqual(['minor server second is new']);
    expect(steps(two, one)).toEqual(['major server second is gone']);
  });

  test('instructions are a text', () => {
    const after = surfaceOf([base], { server: { name: 'weather', instructions: 'Be exact.' } });
    expect(steps(surfaceOf([base]), after)).toEqual(['patch server weather has another text']);
  });

  test('arguments of prompts have the rules of arguments of tools', () => {
    const prompt = (...list: object[]) => surfaceOf([], { prompts: { ask: { arguments: list } } });
    const topic = { name: 'topic', required: true };
    const found = (before: PackageSurface, after: PackageSurface) =>
      [...surfaceChanges(before, after)].map(({ step, path, what }) => `${step} ${path.join('/')} ${what}`);
    expect(found(prompt(topic), prompt(topic, { name: 'tone' }))).toEqual(['minor arguments/tone is new']);
    expect(found(prompt(topic), prompt(topic, { name: 'tone', required: true }))).toEqual([
      'major arguments/tone is new and required',
    ]);
    expect(found(prompt(topic), prompt())).toEqual(['major arguments/topic is gone']);
    const titled = { name: 'tone', title: 'Tone', description: 'How' };
    const [gone] = surfaceChanges(prompt(titled), prompt());
    expect(gone!.before).toEqual({ title: 'Tone', description: 'How' });
    expect(found(prompt(topic), prompt({ name: 'topic' }))).toEqual([
      'minor arguments/required/topic accepts more',
    ]);
    const more = { name: 'tone' };
    expect(found(prompt(topic, more), prompt(more, topic))).toEqual(['patch arguments has another spelling']);
  });

  test('another MIME type of a resource is major', () => {
    const resource = (mimeType: string) => surfaceOf([], { resources: { 'a://b': { mimeType } } });
    expect(steps(resource('text/plain'), resource('text/html'))).toEqual(['major resources a://b changed']);
  });
});

describe('the snapshot file', () => {
  test('has the items in the order of their names, and is read as it was written', () => {
    const surface = surfaceOf([{ name: 'b' }, { name: 'a' }]);
    expect(parsePackageSurface(formatPackageSurface(surface))).toEqual(surface);
    expect(Object.keys(surface.weather!.tools)).toEqual(['a', 'b']);
  });

  test.each([
    ['{', 'It is not valid JSON.'],
    ['{}', 'It has no "servers".'],
    ['{"formatVersion":2,"servers":{}}', 'Its format version is 2'],
    ['{"formatVersion":1,"servers":{"a":{}}}', 'A server in it has missing lists.'],
  ])('%s is refused', (text, message) => {
    expect(parsePackageSurface(text)).toContain(message);
  });
});
