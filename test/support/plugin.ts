import { type Files, packageJson } from './packages.js';

/** The package `@acme/kit` with one server, `kit`, one tool, `greet`, and options of it. */
export const plugin: Files = {
  'package.json': packageJson({ servers: ['kit'], tools: ['greet'] }),
  'agenttools/servers/kit.json': { tools: '*' },
  'agenttools/tools/greet.json': {
    description: 'Greets.',
    handler: './greet.js',
    options: { style: 'plain', apiKey: '', level: 1 },
  },
  'greet.js': 'export default () => "hello";',
};
