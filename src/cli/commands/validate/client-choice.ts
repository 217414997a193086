import { didYouMean } from '../../../engine/base/did-you-mean.js';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { clients } from '../../../engine/clients/table/index.js';
import { type LimitSubject, limitSubjects } from '../../../engine/compatibility/client-limits.js';
import { clientFacts } from '../../../engine/installation/client-facts.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import type { Host } from '../../../host.js';

/**
 * The clients and APIs that `--clients` names, with the APIs that these clients use: ids, `all`, or `installed`.
 * @throws AgentToolsError `usage` for an unknown id
 */
export async function chooseClients(words: readonly string[], host: Host): Promise<ReadonlySet<string>> {
  const named = await Promise.all(words.map((word) => idsOf(word, host)));
  const ids = new Set(named.flat());
  const used = limitSubjects.filter(({ id }) => ids.has(id)).flatMap(({ uses = [] }) => uses);
  for (const id of used) ids.add(id);
  return ids;
}

async function idsOf(word: string, host: Host): Promise<readonly string[]> {
  if (word === 'all') return limitSubjects.map(({ id }) => id);
  if (word === 'installed') {
    const { clients: known } = await clientFacts(installationFolders(host));
    return known.filter(({ state }) => state !== 'not found').map(({ id }) => id);
  }
  const client = clients.find(({ id, aliases }) => id === word || aliases.includes(word));
  const id = client?.id ?? limitSubjects.find((subject: LimitSubject) => subject.id === word)?.id;
  if (id !== undefined) return [id];
  const known = [...new Set([...limitSubjects, ...clients].map((one) => one.id)), 'all', 'installed'];
  const meant = didYouMean(word, known);
  const hint =
    meant === undefined ? 'List them with: agenttools list-clients --limits' : `Did you mean "${meant}"?`;
  throw new AgentToolsError('usage', `There is no client "${word}". ${hint}`);
}
