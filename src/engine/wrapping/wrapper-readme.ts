import type { ServerInput } from '../existing-servers/existing-server.js';
import { endpointName } from '../extension/upstream-secrets.js';
import { type ExtensionVariable, firstOfEachName } from './extension-variables.js';
import { isAddress, publicAddress } from './literal-secrets.js';
import { oneLine } from './one-line.js';
import type { WrappedServer } from './wrap-server.js';
import type { WrapSource } from './wrap-source.js';

interface ReadmeContent {
  /** Name of the npm package. */
  readonly name: string;
  readonly source: WrapSource;
  readonly servers: readonly WrappedServer[];
  readonly variables: readonly ExtensionVariable[];
}

/** README of an extension in front of existing servers. */
export function writeReadme({ name, source, servers, variables }: ReadmeContent): string {
  const { label, description, skills } = source;
  const skillNames = Object.keys(skills);
  const omitted = firstOfEachName(servers.flatMap((one) => one.omitted));
  const hasDependencies = servers.some(({ dependency }) => dependency !== undefined);
  const contents = ['skills', 'an existing MCP server', 'existing MCP servers'][Math.min(servers.length, 2)];
  const parts = [
    `# ${name}`,
    ...(description === undefined ? [] : [oneLine(description)]),
    `An [AgentTools](https://www.npmjs.com/package/agenttools) extension with ${contents}. Made from ${cell(label)}.`,
    ...(servers.length > 0 ? [serverTable(servers, label)] : []),
    ...(skillNames.length > 0 ? [`Skills: ${skillNames.map((one) => `\`${one}\``).join(', ')}`] : []),
    ...(variables.length > 0 ? ['## Variables', variableTable(variables)] : []),
    ...(omitted.length > 0 ? [describeOptions(omitted)] : []),
    ...(servers.length > 0 ? ['## Use it', installCommand(name, servers, variables)] : []),
    '## Work on it',
    shell(...(hasDependencies ? ['npm install'] : []), 'npx agenttools validate --boot'),
    ...(servers.length > 0
      ? ['To choose, rename or describe tools, change the definitions in `agenttools/servers`.']
      : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function shell(...lines: readonly string[]): string {
  return ['```sh', ...lines, '```'].join('\n');
}

function serverTable(servers: readonly WrappedServer[], label: string): string {
  const rows = servers.map(
    (one) => `| \`${one.item}\` | ${cell(origin(one, label))} | ${cell(one.server.description ?? '')} |`,
  );
  return ['| server | source | purpose |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Paths of this machine are not published. */
function origin(
  { server: { reference, source }, upstream, dependency }: WrappedServer,
  label: string,
): string {
  if (dependency) return `npm:${dependency.name}@${dependency.version}`;
  if (source === 'url') return endpointName(upstream);
  if (isAddress(reference)) return publicAddress(reference);
  return /^(?:mcpb:)?(?:[\\/~]|[A-Za-z]:[\\/])/.test(reference) ? label : reference;
}

function variableTable(variables: readonly ExtensionVariable[]): string {
  const rows = variables.map((variable) => {
    const { name, fallback, input } = variable;
    const choices = input?.choices && `One of: ${input.choices.join(', ')}.`;
    const meaning = input?.description ?? input?.title;
    const about = meaning || choices ? [meaning, choices].join(' ') : describePlace(variable);
    return `| \`${name}\` | ${describeDefault(fallback)} | ${cell(about.trim())} |`;
  });
  return ['| variable | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function describeDefault(fallback: string | undefined): string {
  if (fallback === undefined) return 'required';
  return fallback === '' ? 'optional' : `\`${cell(fallback)}\``;
}

const places: Readonly<Record<string, string>> = {
  args: 'In the arguments of',
  cwd: 'Working directory of',
  env: 'Environment variable of',
  headers: 'In a header for',
  url: 'In the URL of',
};

/** Use of a variable without a description. */
function describePlace({ item, use: [key = ''] = [] }: ExtensionVariable): string {
  return Object.hasOwn(places, key) ? `${places[key]} \`${item}\`.` : '';
}

function describeOptions(omitted: readonly ServerInput[]): string {
  const names = omitted.map(({ name, description }) => {
    const about = description === undefined ? '' : ` (${cell(description)})`;
    return `\`${cell(name)}\`${about}`;
  });
  return `The servers also know these options, which the definitions in \`agenttools/servers\` do not set: ${names.join(', ')}.`;
}

/** The command that writes the first server into a client. */
function installCommand(
  name: string,
  servers: readonly WrappedServer[],
  variables: readonly ExtensionVariable[],
): string {
  const [first] = servers;
  const server = servers.length > 1 ? `${name}/${first!.item}` : name;
  const needed = variables.filter(({ item, fallback }) => fallback === undefined && item === first!.item);
  const words = needed.map((variable) => ` --env ${variable.name}=…`);
  return shell(`agenttools install claude-desktop ${server}${words.join('')}`);
}

/** Text of one line without table borders. */
function cell(text: string): string {
  return oneLine(text).replaceAll('|', '\\|');
}
