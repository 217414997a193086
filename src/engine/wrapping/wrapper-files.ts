import { visibleLine } from '../base/visible-text.js';
import { formatJsonFile } from '../create/scaffold.js';
import type { ExistingServer } from '../existing-servers/existing-server.js';
import { endpointName } from '../extension/upstream-secrets.js';
import { isAddress, publicAddress } from './literal-secrets.js';
import type { EndpointVariable } from './upstream-definition.js';
import type { WrappedServer } from './wrap-server.js';
import type { WrapSource } from './wrap-source.js';

interface WrapperContent {
  /** Name of the npm package. */
  readonly name: string;
  readonly source: WrapSource;
  readonly servers: readonly WrappedServer[];
  /** Variables of all servers. */
  readonly variables: readonly EndpointVariable[];
}

/** Variables of all servers by name. A variable is required if one of the servers has no default for it. */
export function variablesOf(servers: readonly WrappedServer[]): readonly EndpointVariable[] {
  const all = servers.flatMap(({ variables }) => variables);
  return firstOfEachName(all).map((one) => {
    const isRequired = all.some(({ name, fallback }) => name === one.name && fallback === undefined);
    return isRequired ? { ...one, fallback: undefined } : one;
  });
}

function firstOfEachName<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  return [...new Map([...all].reverse().map((one) => [one.name, one])).values()].reverse();
}

/** Returns the text files of an extension in front of existing servers, by relative path. */
export function wrapperFiles(content: WrapperContent): Readonly<Record<string, string>> {
  const definitions = content.servers.map(
    ({ item, definition }) => [`agenttools/servers/${item}.json`, formatJsonFile(definition)] as const,
  );
  return {
    'package.json': formatJsonFile(packageJson(content)),
    ...Object.fromEntries(definitions),
    'README.md': readme(content),
    '.gitignore': ['/node_modules/', '*.tgz', ''].join('\n'),
  };
}

function packageJson({ name, source, servers }: WrapperContent): object {
  const { description, license, folders, skills } = source;
  const dependencies = servers.flatMap(({ dependency }) => (dependency ? [dependency] : []));
  const pairs = dependencies.map((one) => [one.name, one.version] as const);
  const hasSkills = Object.keys(skills).length > 0;
  const declared = servers.map(({ item, server }) =>
    server.description === undefined ? item : [item, oneLine(server.description)],
  );
  return {
    name,
    version: '0.1.0',
    description: oneLine(description ?? `MCP servers of ${source.label}, for MCP clients.`),
    type: 'module',
    keywords: ['agenttools-extension'],
    ...(license !== undefined && { license }),
    files: [
      ...(servers.length > 0 ? ['agenttools'] : []),
      ...Object.keys(folders),
      ...(hasSkills ? ['skills'] : []),
    ],
    scripts: {
      validate: 'npx agenttools validate',
      ...(servers.length === 1 && { start: 'npx agenttools start .' }),
    },
    ...(pairs.length > 0 && { dependencies: Object.fromEntries(pairs) }),
    agenttools: servers.length > 0 ? { servers: declared } : {},
  };
}

function oneLine(text: string): string {
  return visibleLine(text.replace(/\s+/g, ' ').trim());
}

function readme({ name, source, servers, variables }: WrapperContent): string {
  const { label, skills } = source;
  const rows = servers.map(
    ({ item, server, upstream }) =>
      `| \`${item}\` | ${cell(origin(server, upstream, label))} | ${cell(server.description ?? '')} |`,
  );
  const optional = firstOfEachName(servers.flatMap(({ omitted }) => omitted));
  const skillNames = Object.keys(skills);
  const hasDependencies = servers.some(({ dependency }) => dependency !== undefined);
  const parts = [
    `# ${name}`,
    `An [AgentTools](https://www.npmjs.com/package/agenttools) extension with ${servers.length === 1 ? 'an existing MCP server' : 'existing MCP servers'}. Made from ${cell(label)}.`,
    ...(rows.length > 0
      ? [['| server | source | purpose |', '| --- | --- | --- |', ...rows].join('\n')]
      : []),
    ...(skillNames.length > 0 ? [`Skills: ${skillNames.map((one) => `\`${one}\``).join(', ')}`] : []),
    ...(variables.length > 0 ? ['## Variables', variableTable(variables)] : []),
    ...(optional.length > 0
      ? [
          `The servers also know these options, which the definitions in \`agenttools/servers\` do not set: ${optional
            .map(
              (input) =>
                `\`${cell(input.name)}\`${input.description === undefined ? '' : ` (${cell(input.description)})`}`,
            )
            .join(', ')}.`,
        ]
      : []),
    '## Work on it',
    ['```sh', ...(hasDependencies ? ['npm install'] : []), 'npx agenttools validate --boot', '```'].join(
      '\n',
    ),
    'To choose, rename or describe tools, change the definitions in `agenttools/servers`.',
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Paths of this machine are not published. */
function origin(
  { reference, source }: ExistingServer,
  upstream: WrappedServer['upstream'],
  label: string,
): string {
  if (source === 'url') return endpointName(upstream);
  if (isAddress(reference)) return publicAddress(reference);
  return /^(?:mcpb:)?(?:[\\/~]|[A-Za-z]:[\\/])/.test(reference) ? label : reference;
}

function variableTable(variables: readonly EndpointVariable[]): string {
  const rows = variables.map(({ name, fallback, input }) => {
    const choices = input?.choices ? ` One of: ${input.choices.join(', ')}.` : '';
    const about = `${input?.description ?? input?.title ?? ''}${choices}`;
    const preset = fallback === undefined ? 'required' : fallback === '' ? '' : `\`${cell(fallback)}\``;
    return `| \`${name}\` | ${preset} | ${cell(about.trim())} |`;
  });
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Text of one line without table borders. */
function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|');
}
