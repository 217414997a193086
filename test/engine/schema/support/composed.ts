type Schema = Readonly<Record<string, unknown>>;

export const units = { enum: ['metric', 'imperial'] };
export const place = { type: 'string' };

/** Schemas of arguments that speak of `units` in every way that there is. */
export const composed: Readonly<Record<string, Schema>> = {
  'a list of properties': { properties: { units, place }, required: ['units', 'place'] },
  'nothing but the fixed one': { properties: { units }, required: ['units'], additionalProperties: false },
  'a closed list': { properties: { units, place }, additionalProperties: false },
  'branches by the fixed one': {
    properties: { units, place },
    oneOf: [
      { properties: { units: { const: 'metric' }, days: { type: 'integer' } }, required: ['days'] },
      { properties: { units: { const: 'imperial' } }, required: ['place'] },
    ],
  },
  'branches by lists of values': {
    properties: { units, place },
    anyOf: [
      { properties: { units: { enum: ['metric', 'both'] }, days: { type: 'integer' } }, required: ['days'] },
      { properties: { units: { enum: ['imperial'] } }, required: ['place'] },
    ],
  },
  'branches that only ask for it': { properties: { units, place }, anyOf: [{ required: ['units'] }] },
  'branches, one of which it fills': {
    properties: { units, place },
    anyOf: [{ required: ['units'] }, { required: ['place'] }],
  },
  'all of several': {
    allOf: [
      { properties: { units }, required: ['units'] },
      { properties: { place }, required: ['place'] },
    ],
  },
  'a definition': {
    $ref: '#/$defs/all',
    $defs: { all: { type: 'object', properties: { units, place }, required: ['units', 'place'] } },
  },
  'a definition that is used twice': {
    anyOf: [
      { $ref: '#/$defs/all', required: ['days'] },
      { $ref: '#/$defs/all', minProperties: 3 },
    ],
    $defs: { all: { type: 'object', properties: { units, place }, required: ['units', 'place'] } },
  },
  'definitions of definitions that are used twice': {
    allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }],
    $defs: {
      a: { anyOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b', properties: { days: { type: 'integer' } } }] },
      b: { required: ['units', 'place'], properties: { units, place } },
      b_left: { type: 'string' },
    },
  },
  'a condition that is met': {
    properties: { units, place },
    if: { properties: { units: { const: 'metric' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['days'] },
    else: { required: ['place'] },
  },
  'a condition that is not met': {
    properties: { units, place },
    if: { properties: { units: { const: 'imperial' } }, required: ['units'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['days'] },
    else: { required: ['place'] },
  },
  'a condition about others': {
    properties: { units, place },
    if: { required: ['place'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['days', 'units'] },
  },
  'what comes with it': { properties: { units, place }, dependentRequired: { units: ['place'] } },
  'what it comes with': { properties: { units, place }, dependentRequired: { place: ['units', 'days'] } },
  'a schema that comes with it': {
    properties: { units, place },
    dependentSchemas: { units: { required: ['place'] } },
  },
  'dependencies as they were called': {
    $schema: 'http://json-schema.org/draft-07/schema#',
    properties: { units, place },
    dependencies: { units: ['place'], place: { required: ['units', 'days'] } },
  },
  'at least two': { properties: { units, place }, minProperties: 2 },
  'at most two': { properties: { units, place }, maxProperties: 2 },
  'none of something else': { properties: { units, place }, not: { required: ['units', 'place'] } },
  'none that it is not': {
    properties: { units, place },
    not: { properties: { units: { const: 'imperial' } } },
  },
  'properties by pattern': { patternProperties: { '^un': units, '^pl': place }, required: ['units'] },
  'other properties of a kind': { properties: { place }, additionalProperties: { type: 'string' } },
};
