// Tools with forms that clients refuse, drop or change, by the ids of their probes. Each server has a key in configs of clients.

const text = { type: 'string', description: 'A text.' };
const object = (properties, more = {}) => ({ type: 'object', properties, ...more });
const variants = [object({ a: text }, { required: ['a'] }), object({ b: text }, { required: ['b'] })];
const words = (length) => 'Word '.repeat(Math.ceil(length / 5)).slice(0, length);
/** A schema of about `bytes` bytes, most of them in descriptions. */
const sized = (bytes) =>
  object(
    Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [
        `p${index}`,
        { type: 'string', description: words(bytes / 10 - 43) },
      ]),
    ),
  );
const nested = (levels) => (levels === 0 ? text : object({ level: nested(levels - 1) }));
const named = (length) => 'n'.repeat(length - String(length).length) + length;

/** Input schemas. The tool has the name of its probe, with `_` for `-`. */
const schemas = {
  plain: object({ text }, { required: ['text'], additionalProperties: false }),
  'no-properties': { type: 'object' },
  'root-any-of': { type: 'object', anyOf: variants },
  'root-one-of': { type: 'object', oneOf: variants },
  'root-all-of': { type: 'object', allOf: variants },
  'root-not': object({ text }, { not: { required: ['other'] } }),
  'root-if': object({ text }, { if: { required: ['text'] }, else: { required: ['other'] } }),
  'root-ref': { type: 'object', $ref: '#/$defs/root', $defs: { root: object({ text }) } },
  'nested-union': object({ value: { anyOf: [{ type: 'string' }, { type: 'number' }] } }),
  ref: object({ value: { $ref: '#/$defs/value' } }, { $defs: { value: object({ text }) } }),
  'recursive-ref': object(
    { node: { $ref: '#/$defs/node' } },
    { $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } },
  ),
  const: object({ kind: { const: 'a', description: 'A kind.' } }),
  'type-null': object({ value: { type: ['string', 'null'], description: 'A value.' } }),
  'types-several': object({ value: { type: ['string', 'number', 'null'], description: 'A value.' } }),
  'items-null': object({ list: { type: 'array', items: { type: ['object', 'null'] } } }),
  'array-without-items': object({ list: { type: 'array', description: 'A list.' } }),
  'items-true': object({ list: { type: 'array', items: true } }),
  tuple: object({ pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } }),
  'prefix-items': object({
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
  }),
  untyped: object({ value: { description: 'Any value.' } }),
  'enum-integers': object({ value: { type: 'integer', enum: [1, 2] } }),
  'enum-mixed': object({ value: { enum: ['a', 1] } }),
  'enum-null': object({ value: { type: 'string', enum: ['a', null] } }),
  'default-null': object({ value: { type: 'string', default: null, description: 'A value.' } }),
  keywords: object({
    code: { type: 'string', pattern: '^[A-Z]+$', minLength: 2, default: 'AB', examples: ['CD'] },
    day: { type: 'string', format: 'date' },
    count: { type: 'integer', minimum: 1, maximum: 9, multipleOf: 2 },
  }),
  'required-unknown': object({ text }, { required: ['missing'] }),
  'parameter-items': object({ items: text }),
  'parameter-dot': object({ 'a.b': text }),
  'parameter-space': object({ 'a b': text }),
  'parameter-long': object({ [named(70)]: text }),
  'parameter-nested': object({ outer: object({ 'a b': text }) }),
  'parameter-in-union': object({ outer: { anyOf: [object({ 'a b': text }), { type: 'string' }] } }),
  'parameter-text': object({ text: { type: 'string', description: words(1500) } }),
  'schema-4900-bytes': sized(4900),
  'schema-5200-bytes': sized(5200),
  'deep-in-4900-bytes': object({ ...sized(4700).properties, deep: nested(5) }),
  'deep-in-12000-bytes': object({
    ...Object.fromEntries(
      Array.from({ length: 180 }, (_, index) => [
        `parameter_with_a_long_name_${index}`,
        { type: 'string', enum: ['a'] },
      ]),
    ),
    deep: nested(5),
  }),
};

/** Names of tools with a plain schema. */
const names = {
  'name-dot': 'a.b',
  'name-underscore': 'a_b',
  'name-upper-case': 'SAME',
  'name-lower-case': 'same',
  'name-slash': 'c/d',
  'name-space': 'e f',
  'name-digit': '9lives',
  'name-not-ascii': 'ünïcode',
  'name-50': named(50),
  'name-60': named(60),
  'name-80': named(80),
  'name-130': named(130),
};

/** A tool whose description begins with the id of its probe. */
const probe = (id, { name = id.replaceAll('-', '_'), inputSchema = schemas.plain, more = '', ...rest }) => ({
  name,
  description: `[${id}] A probe.${more}`,
  inputSchema,
  ...rest,
});

const oddTools = [
  ...Object.entries(schemas).map(([id, inputSchema]) => probe(id, { inputSchema })),
  ...Object.entries(names).map(([id, name]) => probe(id, { name })),
  probe('description-5000', { more: words(5000) }),
  probe('app-only', { _meta: { ui: { visibility: ['app'], resourceUri: 'ui://probe/app' } } }),
  probe('output-schema', { outputSchema: object({ found: text }, { required: ['found'] }) }),
];

/** A server with one fine tool, and one with a fault. */
const faulty = (id, fault) => ({ tools: [probe(`beside-${id}`, {}), { ...probe(id, {}), ...fault }] });

/** Instructions with a mark at each 100 characters. */
export const instructions = Array.from({ length: 50 }, (_, index) =>
  `[mark ${(index + 1) * 100}]`.padStart(100, 'word '),
).join('');

/** Servers by their keys. `delay`: milliseconds before the answer to the handshake. */
export const probeServers = {
  probe: { tools: oddTools, instructions },
  slow: { tools: [probe('start-8-seconds', {})], delay: 8000 },
  boolean: faulty('property-true', { inputSchema: object({ any: true }) }),
  null: faulty('description-null', { description: null }),
  typeless: faulty('no-type', { inputSchema: { properties: { text } } }),
  required: faulty('required-null', { inputSchema: object({ text }, { required: null }) }),
  output: faulty('output-without-type', { outputSchema: { properties: {} } }),
};
