import { type Definition, Extension } from '../extension/extension.js';
import { translate } from '../extension/key-spellings.js';
import type { Manifest } from '../extension/manifest.js';
import type { ServerDefinition } from './definition-types/server-types.js';

/** Server info of a definition without `name` and `version`. */
const defaultServerInfo = { name: 'server', version: '0.0.0' } as const;

/** Wraps the definition of a server in a package without other declarations. Paths in it are relative to `directory`. */
export function inlineServer(definition: ServerDefinition, directory: string): Definition {
  const { name = defaultServerInfo.name, version = defaultServerInfo.version } = definition;
  const document = { file: 'package.json', text: '{}', value: {} };
  const nothing = { tools: [], prompts: [], resources: [], servers: [], apps: [] };
  const translation = translate({ name, ...definition }, 'servers');
  const manifest: Manifest = {
    packageName: name,
    packageVersion: version,
    packageJson: document,
    document,
    base: [],
    translation,
    root: 'agenttools',
    skillsFolder: 'skills',
    declarations: nothing,
    toolkits: [],
    hasOnlySkills: false,
    directory,
  };
  return {
    kind: 'servers',
    item: name,
    // The items have no package either: names are not qualified.
    extension: new Extension(manifest, { origin: 'builtin' }),
    file: { file: 'the definition', language: 'data', combined: false },
    at: [],
    value: translation.value,
    translation,
  };
}
