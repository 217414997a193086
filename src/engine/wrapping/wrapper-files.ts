import { formatJsonFile } from '../create/json-file.js';
import type { ExtensionVariable } from './extension-variables.js';
import { oneLine } from './one-line.js';
import type { WrappedServer } from './wrap-server.js';
import type { WrapSource } from './wrap-source.js';
import { writeReadme } from './wrapper-readme.js';

export interface WrapperContent {
  /** Name of the npm package. */
  readonly name: string;
  readonly source: WrapSource;
  readonly servers: readonly WrappedServer[];
  readonly variables: readonly ExtensionVariable[];
}

/** Returns the text files of an extension in front of existing servers, by relative path. */
export function wrapperFiles(content: WrapperContent): Readonly<Record<string, string>> {
  const definitions = content.servers.map(
    ({ item, definition }) => [`agenttools/servers/${item}.json`, formatJsonFile(definition)] as const,
  );
  return {
    'package.json': formatJsonFile(packageJson(content)),
    ...Object.fromEntries(definitions),
    'README.md': writeReadme(content),
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
