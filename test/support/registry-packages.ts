import { gzipSync } from 'node:zlib';
import type { Files } from './packages.js';
import type { PublishOptions, Registry } from './registry.js';

/** A package to be published, and what listing is to make of it. */
export interface RegistryPackage {
  readonly files: Files;
  readonly options?: PublishOptions;
  /** Names of the servers that are listed. */
  readonly servers: readonly string[];
  /** What is said of it where it is left out. */
  readonly leftOut?: string;
}

/** Sixty packages, good and bad. Whatever runs code of one of them, or its scripts, leaves a trace in a folder. */
export function registryPackages(traces: string): readonly RegistryPackage[] {
  const packages = [...good(traces), ...odd(traces), ...hostile(traces), ...none(traces), ...closed(traces)];
  if (packages.length !== 60) throw new Error(`There are ${packages.length} packages.`);
  return packages;
}

/** Publishes packages, some at a time. */
export async function publishAll(registry: Registry, packages: readonly RegistryPackage[]): Promise<void> {
  const rest = [...packages];
  const worker = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) await registry.publish(next.files, next.options);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}

interface Made {
  readonly name: string;
  readonly traces: string;
  readonly agenttools: unknown;
  readonly fields?: object;
  readonly files?: Files;
}

function filesOf({ name, traces, agenttools, fields = {}, files = {} }: Made): Files {
  const trace = `require('node:fs').writeFileSync(${JSON.stringify(`${traces}/${name.replace('/', '+')}`)}, '')`;
  return {
    'package.json': {
      name,
      version: '1.2.3',
      description: `What ${name} is for.`,
      keywords: ['agenttools-extension', 'fixture'],
      main: 'index.js',
      scripts: { preinstall: `node -e "${trace.replaceAll('"', '\\"')}"`, postinstall: 'node index.js' },
      agenttools,
      ...fields,
    },
    'index.js': trace,
    'agenttools/tools/look.js': `${trace}; module.exports = { handler: () => 'seen' };`,
    'agenttools/servers/main.js': `${trace}; module.exports = { tools: ['look'] };`,
    ...files,
  };
}

const look = { name: 'look', description: 'Looks at it.', parameters: ['what'] };

/** Thirty-nine that are as they should be. */
function good(traces: string): readonly RegistryPackage[] {
  return Array.from({ length: 39 }, (_, index) => {
    const name = `@acme/good-${String(index).padStart(2, '0')}`;
    const agenttools = {
      servers: [{ name: 'main', description: `Server ${index}.`, tools: ['look'] }],
      tools: [look, 'other'],
    };
    return { files: filesOf({ name, traces, agenttools }), servers: [`${name}/main`] };
  });
}

/** Six that are good in less usual ways. */
function odd(traces: string): readonly RegistryPackage[] {
  const make = (name: string, agenttools: unknown, rest: Partial<Made> = {}) =>
    filesOf({ name, traces, agenttools, ...rest });
  return [
    {
      files: make('odd-implicit', { tools: [['look', 'Looks.']], prompts: ['ask'] }),
      servers: ['odd-implicit/odd-implicit'],
    },
    {
      files: make('odd-two', { servers: ['main', ['second', 'The second.']], tools: ['look'] }),
      servers: ['odd-two/main', 'odd-two/second'],
    },
    {
      files: make('odd-ported', { MCPServers: [{ Name: 'main', Tools: ['look'] }], Tools: ['look'] }),
      servers: ['odd-ported/main'],
    },
    {
      files: make('@odd/path', './mcp/manifest.jsonc', {
        files: { 'mcp/manifest.jsonc': '// ours\n{ "servers": ["main"], "tools": ["look",] }' },
      }),
      servers: ['@odd/path/main'],
    },
    {
      files: make('@odd/attested', { tools: ['look'] }),
      options: { document: { _npmUser: { name: 'grace' } } },
      servers: ['@odd/attested/attested'],
    },
    {
      files: make(
        'odd-words',
        { tools: ['look'] },
        { fields: { keywords: 'agenttools-extension, fixture' } },
      ),
      servers: ['odd-words/odd-words'],
    },
  ];
}

/** What a terminal would obey, or read from right to left. */
const hostileText = 'a\u001b[2J\u001b]0;owned\u0007b\u009b31mc\u202egnp.exe';

/** Ten that mean harm or are broken. */
function hostile(traces: string): readonly RegistryPackage[] {
  const make = (name: string, agenttools: unknown, rest: Partial<Made> = {}) =>
    filesOf({ name, traces, agenttools, ...rest });
  const megabyte = 'long '.repeat(200_000);
  return [
    {
      files: make('hostile-megabyte', { servers: [['main', megabyte]], tools: [['look', megabyte]] }),
      servers: ['hostile-megabyte/main'],
    },
    {
      files: make(
        'hostile-control',
        { servers: [{ name: 'main', description: hostileText, tools: [hostileText, 'look'] }] },
        { fields: { description: hostileText, author: hostileText } },
      ),
      servers: ['hostile-control/main'],
    },
    {
      files: {
        ...make('hostile-proto', {}),
        'package.json': `{"name":"hostile-proto","version":"1.0.0","keywords":["agenttools-extension"],"__proto__":{"polluted":1},
          "agenttools":{"__proto__":{"polluted":1},"servers":["__proto__","constructor"],
            "tools":[{"name":"__proto__","__proto__":{"polluted":1}},"toString"],"rules":{"__proto__":"off"}}}`,
      },
      servers: ['hostile-proto/__proto__', 'hostile-proto/constructor'],
    },
    {
      files: make('hostile-many', { tools: Array.from({ length: 2000 }, (_, index) => `tool-${index}`) }),
      servers: [],
      leftOut: 'it declares more than can be listed',
    },
    {
      files: make('hostile-huge', { tools: [['look', 'x'.repeat(11_000_000)]] }),
      servers: [],
      leftOut: 'is too large to be read',
    },
    {
      files: make('hostile-bomb', './bomb.json', { files: { 'bomb.json': ' '.repeat(120_000_000) } }),
      servers: [],
      leftOut: 'it is too large to be read',
    },
    {
      files: make('hostile-bomb-in-bomb', './bomb.json', { files: { 'bomb.json': ' '.repeat(120_000_000) } }),
      options: { repack: (tarball) => gzipSync(tarball) },
      servers: [],
      leftOut: 'its tarball has an unsupported format',
    },
    {
      files: make('broken-manifest', 42),
      servers: [],
      leftOut: 'must be an object or the path of a manifest file',
    },
    {
      files: make('broken-outside', '../../etc/passwd'),
      servers: [],
      leftOut: 'leaves the package',
    },
    {
      files: make('broken-path', './missing.json'),
      servers: [],
      leftOut: 'its manifest "missing.json" is not in the package',
    },
  ];
}

/** Three that nobody wants found. */
function none(traces: string): readonly RegistryPackage[] {
  const agenttools = { tools: ['look'] };
  return [
    { files: filesOf({ name: 'none-keyword', traces, agenttools, fields: { keywords: [] } }), servers: [] },
    { files: filesOf({ name: 'none-field', traces, agenttools: undefined }), servers: [] },
    {
      files: filesOf({ name: 'none-deprecated', traces, agenttools }),
      options: { document: { deprecated: 'Use another one.' } },
      servers: [],
    },
  ];
}

/** Two for those who log in. */
function closed(traces: string): readonly RegistryPackage[] {
  return ['@private/one', '@private/two'].map((name) => ({
    files: filesOf({ name, traces, agenttools: { tools: ['look'] } }),
    servers: [`${name}/${name.slice('@private/'.length)}`],
  }));
}
