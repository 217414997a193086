import { shortenText, visibleLine, visibleTexts } from '../../../engine/base/visible-text.js';
import { type ListedServer, type SourceName, sourceNames } from '../../../engine/discovery/listed-server.js';
import { type ColorOption, formatCount, styleFor } from '../../shared/text/style.js';

/** JSON output for one server. */
export function serverData(server: ListedServer): object {
  const { name, source, description, version, tools, prompts, location } = server;
  const { problem } = server;
  const listed = {
    ...{ name, source, description, version, tools, prompts, location },
    ...(problem !== undefined && { problem }),
  };
  const { publisher, published, provenance, deprecated } = server;
  if (source === 'installed') return { ...listed, publisher };
  if (source === 'mcp-registry') return { ...listed, publisher, published, deprecated };
  return source === 'remote' ? { ...listed, publisher, published, provenance } : listed;
}

export interface ServersOptions extends ColorOption {
  /** Filters of the command. */
  readonly pattern: string | undefined;
  readonly builtIn: boolean;
  readonly remote: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

const headings = {
  'user-made': 'made by you',
  project: 'in this project',
  added: 'added with agenttools add',
  global: 'installed globally',
  installed: 'existing MCP servers in your clients',
  'built-in': 'built in',
  remote: 'in the registry; get one with: agenttools add <package>',
  'mcp-registry': 'in the MCP Registry; get one with: agenttools install <client> <server>',
} as const satisfies Record<SourceName, string>;

/** The MCP Registry has thousands of servers. `--json` prints all of them. */
function maxOfGroup(source: SourceName): number {
  return source === 'mcp-registry' ? 100 : Number.POSITIVE_INFINITY;
}

/** Lists servers by source: one line each, with their items below. */
export function renderServers(servers: readonly ListedServer[], options: ServersOptions): string {
  if (servers.length === 0) return renderNothing(options);
  const style = styleFor(options);
  const shown = visibleTexts(servers);
  const groups = sourceNames.flatMap((source) => {
    const group = shown.filter((server) => server.source === source);
    if (group.length === 0) return [];
    const listed = group.slice(0, maxOfGroup(source));
    const rest = group.length - listed.length;
    const more = rest === 0 ? '' : `  and ${rest} more; name a part of what you search for\n`;
    return [
      `\n${style.bold(headings[source])}\n${listed.map((server) => renderServerRows(server, options)).join('')}${more}`,
    ];
  });
  return `${formatCount(servers.length, 'server')}\n${groups.join('')}`;
}

function renderNothing({ pattern, builtIn, remote }: ServersOptions): string {
  const which = pattern === undefined ? 'servers' : `server that matches "${visibleLine(pattern)}"`;
  const where = remote ? ' here or in the registries' : '';
  const hints = [
    ...(builtIn ? [] : ['--built-in lists the servers that come with AgentTools.']),
    ...(remote ? [] : ['--remote searches the npm registry and the MCP Registry.']),
  ];
  return `${[`Found no ${which}${where}.`, ...hints].join(' ')}\n`;
}

function renderServerRows(server: ListedServer, options: ServersOptions): string {
  const { description } = server;
  const [name, version] = [visibleLine(server.name), visibleLine(server.version)];
  const style = styleFor(options);
  const head = `  ${name}  ${version}`;
  const text = description === null ? '' : fitOneLine(description, options.width - head.length - 2);
  const below = [
    itemsText('tool', server.tools, server),
    itemsText('prompt', server.prompts, server),
    upstreamsText(server),
  ]
    .filter((part) => part !== '')
    .concat(publicationText(server));
  // The reason is not shortened: its end is a path.
  const problem =
    server.problem === undefined ? '' : `    ${style.red(`cannot start: ${visibleLine(server.problem)}`)}\n`;
  const details = below.map((line) => `    ${style.dim(fitOneLine(line, options.width - 4))}\n`).join('');
  return `  ${style.cyan(name)}  ${version}${text && `  ${text}`}\n${problem}${details}`;
}

/** `2 tools: forecast, radar`; items of other packages by their qualified names. */
function itemsText(noun: string, items: readonly string[], { name }: ListedServer): string {
  if (items.length === 0) return '';
  const own = name.slice(0, name.lastIndexOf('/') + 1);
  const names = items.map((item) => (own !== '' && item.startsWith(own) ? item.slice(own.length) : item));
  return `${formatCount(items.length, noun)}: ${names.map((one) => visibleLine(one)).join(', ')}`;
}

/** `includes 1 MCP server: archive` */
function upstreamsText({ upstreams = [] }: ListedServer): string {
  return upstreams.length === 0
    ? ''
    : `includes ${formatCount(upstreams.length, 'MCP server')}: ${upstreams.map((one) => visibleLine(one)).join(', ')}`;
}

function publicationText({
  source,
  publisher,
  published,
  provenance,
  deprecated,
}: ListedServer): readonly string[] {
  if (source !== 'remote' && source !== 'mcp-registry') return [];
  const facts = [
    ...(published ? [`published ${published.slice(0, 10)}`] : []),
    ...(publisher ? [`by ${publisher}`] : []),
    ...(provenance ? ['with provenance'] : []),
  ];
  const advice = deprecated == null ? [] : [`deprecated: ${deprecated}`];
  return [...(facts.length === 0 ? [] : [facts.join(' ')]), ...advice];
}

/** Shortens a text to the rest of a line, but to no less than 20 characters. */
function fitOneLine(text: string, width: number): string {
  return shortenText(text.trim().replace(/\s+/g, ' '), Math.max(width, 20));
}
