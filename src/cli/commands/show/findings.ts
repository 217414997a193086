import { AgentToolsError } from '../../../engine/base/errors.js';
import { isRecord } from '../../../engine/base/value-checks.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import type { Facts } from '../../../engine/discovery/facts.js';
import { Extension } from '../../../engine/extension/extension.js';
import { findPackageTexts } from '../../../engine/packages/package-findings.js';
import {
  findingLine,
  findTexts,
  type ItemTexts,
  type TextFinding,
} from '../../../engine/text-checks/text-findings.js';
import type { ListedTools } from './listed-tools.js';

/** Lists of items in facts, with the word for one item. */
const lists: Readonly<Record<string, string>> = {
  servers: 'server',
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  apps: 'app',
  skills: 'skill',
};

/** Facts about the place of an item. Models do not read them. */
const unread = new Set([
  ...['kind', 'item', 'package', 'directory', 'file', 'installations', 'leftOut', 'upstreams', 'launch'],
  ...[
    'notes',
    'signature',
    'builtFrom',
    'signIn',
    'handler',
    'reference',
    'repository',
    'websiteUrl',
    'publisher',
  ],
]);

/** Faults of the texts that models read: in the facts, and in the files of the package. Runs no code. */
export async function findingsIn(facts: Facts): Promise<readonly TextFinding[]> {
  const ofFiles = 'location' in facts ? await packageTexts(facts.location) : [];
  const known = new Set(ofFiles.map(({ code, hash }) => `${code} ${hash}`));
  const ofFacts = findTexts(textsOf(facts)).filter(({ code, hash }) => !known.has(`${code} ${hash}`));
  return [...ofFiles, ...ofFacts];
}

/** Lines about faults of the texts of tools that a server lists. */
export function listedFindings({ tools }: ListedTools): readonly string[] {
  const findings = findTexts(tools.map((tool) => ({ kind: 'tool', name: tool.name, value: tool })));
  return findings
    .filter(({ severity }) => severity !== 'info')
    .map((one) => visibleText(`warning: ${findingLine(one)}`));
}

async function packageTexts(directory: string): Promise<readonly TextFinding[]> {
  try {
    return await findPackageTexts(await Extension.open(directory));
  } catch (error) {
    // Faults of the package are reported elsewhere.
    if (error instanceof AgentToolsError) return [];
    throw error;
  }
}

function* textsOf(facts: Facts): Generator<ItemTexts> {
  const own = Object.entries(facts).filter(([key]) => !Object.hasOwn(lists, key) && !unread.has(key));
  const kind = facts.kind === 'existing server' ? 'server' : facts.kind;
  yield { kind, name: facts.name, value: Object.fromEntries(own) };
  for (const [key, list] of Object.entries(facts)) {
    if (!Object.hasOwn(lists, key) || !Array.isArray(list)) continue;
    for (const entry of list) yield itemTexts(lists[key]!, entry);
  }
}

/** The items of existing servers are known by their names only. */
function itemTexts(kind: string, entry: unknown): ItemTexts {
  if (!isRecord(entry)) return { kind, name: String(entry), value: { name: entry } };
  const read = Object.entries(entry).filter(([key]) => !unread.has(key));
  return { kind, name: String(entry.name), value: Object.fromEntries(read) };
}
