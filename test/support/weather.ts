import type { Files } from './run-cli.js';

/** An extension with something of each kind, and one server. */
export const weather: Files = {
  'weather/package.json': {
    name: '@acme/weather',
    version: '1.2.0',
    description: 'Weather for models.',
    type: 'module',
    keywords: ['agenttools-extension'],
    agenttools: {
      servers: [['weather', 'Weather tools']],
      tools: [['forecast', 'Forecast for a place'], 'radar', 'broken'],
      prompts: ['briefing'],
      resources: ['stations'],
      apps: [['map', 'A map']],
    },
  },
  'weather/agenttools/servers/weather.json': {
    title: 'Weather',
    description: 'Forecasts and radar.',
    instructions: ['Use it.', 'Well.'],
    tools: ['forecast', { use: 'radar', hidden: true }, 'broken', 'missing'],
    prompts: '*',
    resources: '*',
    apps: '*',
  },
  'weather/agenttools/tools/forecast.json': {
    title: 'Forecast',
    description: 'Forecast for a place.\nAsk for one place at a time.',
    category: 'weather',
    input: { place: { type: 'string', required: true, description: 'Where' }, days: { type: 'integer' } },
    outputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    options: { unit: 'C' },
    annotations: { readOnlyHint: true },
    handler: './boom.js#forecast',
  },
  'weather/agenttools/tools/radar.json': { description: 'A picture.', handler: './boom.js#radar' },
  'weather/agenttools/tools/broken.json': { description: 'No handler.' },
  'weather/agenttools/prompts/briefing.json': {
    description: 'A briefing.',
    arguments: [{ name: 'place', description: 'Where', required: true }],
    content: { template: 'Brief me on {{place}}.' },
  },
  'weather/agenttools/resources/stations.json': {
    uri: 'weather://stations',
    description: 'All stations.',
    mimeType: 'text/csv',
    text: 'a,b',
  },
  'weather/agenttools/apps/map.html': '<!doctype html>',
  'weather/boom.js': 'throw new Error("The handler was imported.");',
};

/** An extension with several servers. */
export const several: Files = {
  'several/package.json': {
    name: 'several',
    version: '1.0.0',
    description: 'Two servers.',
    type: 'module',
    agenttools: { servers: [['one', 'The first'], 'two'], tools: ['ping'] },
  },
  'several/agenttools/servers/one.json': { tools: ['ping'] },
  'several/agenttools/servers/two.json': { tools: ['ping'] },
  'several/agenttools/tools/ping.json': { description: 'Answers.', handler: './ping.js#ping' },
  'several/ping.js': 'export const ping = () => "pong";',
};

/** A package whose tools print, fail and answer in every form. */
export const noisy: Files = {
  'noisy/package.json': {
    name: 'noisy',
    version: '1.0.0',
    type: 'module',
    agenttools: {
      tools: [
        'print',
        'fail',
        'throws',
        'blocks',
        'report',
        'exits',
        'options',
        { name: 'coded', description: 'In code' },
      ],
    },
  },
  ...Object.fromEntries(
    ['print', 'fail', 'throws', 'blocks', 'report', 'exits', 'options'].map((name) => [
      `noisy/agenttools/tools/${name}.json`,
      {
        description: `${name}.`,
        ...(name === 'options' && { options: { unit: 'C' } }),
        input: { type: 'object', properties: { times: { type: 'integer' } } },
        handler: `./tools.js#${name}`,
      },
    ]),
  ),
  'noisy/agenttools/tools/coded.js': `console.log('loading'); export default { description: 'In code.', handler: () => 'coded' };`,
  'noisy/tools.js': `
console.log('importing');
export function print() { console.log('printing'); process.stdout.write('more\\n'); return 'answer'; }
export const fail = () => ({ content: [{ type: 'text', text: 'It is closed.' }], isError: true });
export const throws = () => { throw new Error('secret'); };
export const exits = () => process.exit(3);
export const options = (_, ctx) => ctx.options;
export const blocks = () => ({ content: [
  { type: 'text', text: 'one' },
  { type: 'image', mimeType: 'image/png', data: Buffer.alloc(12345).toString('base64') },
  { type: 'audio', mimeType: 'audio/wav', data: Buffer.alloc(10).toString('base64') },
  { type: 'resource_link', uri: 'file:///a', name: 'a' },
  { type: 'resource', resource: { uri: 'file:///b', mimeType: 'text/plain', text: 'Grüße' } },
  { type: 'text', text: 'two\\n' },
] });
export async function report(_, ctx) {
  ctx.progress(1, { total: 2, message: 'half' });
  ctx.log.warning('careful');
  return { done: true };
}
`,
};
