import path from 'node:path';
import { configValueAt } from '../../clients/edit/config-path.js';
import { isMap } from '../../clients/edit/merge-entry.js';
import type { Check } from '../finding.js';
import type { ConfigPicture, Picture } from '../picture.js';

/** Projects with servers that their client does not start, because the user has not trusted the folder. */
export const untrustedFolders: Check = function* (picture) {
  const seen = new Set<string>();
  for (const { config } of picture.entries) {
    const { client, project, file } = config;
    const trusts =
      project === undefined || config.isLocal ? undefined : findTrust(config, picture)?.(project);
    const name = `${client.id} ${file}`;
    if (trusts !== false || seen.has(name)) continue;
    seen.add(name);
    yield {
      code: 'doctor/untrusted-folder',
      config,
      message: `${client.name} does not trust ${project}.`,
      fix: `Start ${client.name} in ${project}, and trust the folder there. AgentTools does not decide this for you.`,
    };
  }
};

type Trust = (folder: string) => boolean;

/** Undefined: the client has no rule that AgentTools knows, or it is off. */
function findTrust({ client }: ConfigPicture, { configs, trust }: Picture): Trust | undefined {
  const user = configs.find((one) => one.client === client && one.scope === 'user')?.data;
  switch (client.id) {
    case 'gemini-cli':
    case 'qwen-code':
      return configValueAt(user, ['security', 'folderTrust', 'enabled']) === true
        ? trustByRules(trust.get(client.id))
        : undefined;
    case 'codex':
      return (folder) =>
        ancestors(folder).some((one) => configValueAt(user, ['projects', one, 'trust_level']) === 'trusted');
    case 'copilot-cli': {
      // Without this file, Copilot CLI has never run.
      const settings = trust.get(client.id);
      const lists = [
        configValueAt(settings, ['trusted_folders']),
        configValueAt(settings, ['trustedFolders']),
      ];
      const folders = lists.flat();
      return settings === undefined
        ? undefined
        : (folder) => ancestors(folder).some((one) => folders.includes(one));
    }
    default:
      return undefined;
  }
}

/**
 * The longest matching rule decides.
 * @see https://geminicli.com/docs/cli/trusted-folders
 */
function trustByRules(rules: unknown): Trust {
  const all = Object.entries(isMap(rules) ? rules : {}).map(([folder, rule]) => ({
    folder: rule === 'TRUST_PARENT' ? path.dirname(folder) : folder,
    isTrusted: rule === 'TRUST_FOLDER' || rule === 'TRUST_PARENT',
  }));
  const longestFirst = all.sort((one, other) => other.folder.length - one.folder.length);
  return (folder) => {
    const places = ancestors(folder);
    return longestFirst.find((rule) => places.includes(rule.folder))?.isTrusted ?? false;
  };
}

/** A folder and all folders above it. */
function ancestors(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...ancestors(above)];
}
