import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { didYouMean } from '../../engine/base/did-you-mean.js';
import { AgentToolsError } from '../../engine/base/errors.js';
import { packageRoot } from '../../engine/base/folders.js';

/** A page of the documentation in this package. */
export interface Topic {
  readonly name: string;
  readonly title: string;
  readonly kind: 'guide' | 'command';
  readonly file: string;
}

/** Folders of pages. A guide with the name of a command becomes `<name>-guide`. */
const folders = [
  ['command', 'docs/commands'],
  ['guide', 'docs'],
] as const;

/** All pages of guides and commands. */
export async function listTopics(): Promise<readonly Topic[]> {
  const topics: Topic[] = [];
  for (const [kind, folder] of folders) {
    const parent = path.join(packageRoot(), folder);
    const names = (await readdir(parent)).filter((name) => name.endsWith('.md')).sort();
    const found = names.map(async (name) => {
      const file = path.join(parent, name);
      const [, title = ''] = /^# (.*)$/m.exec(await readFile(file, 'utf8')) ?? [];
      const bare = name.slice(0, -'.md'.length);
      const isTaken = topics.some((one) => one.name === bare);
      return { name: isTaken ? `${bare}-guide` : bare, title: title.replaceAll('`', ''), kind, file };
    });
    topics.push(...(await Promise.all(found)));
  }
  return topics;
}

/**
 * The Markdown of a page: of a command, a guide or a diagnostic code.
 * @throws AgentToolsError `not-found`
 */
export async function readTopic(name: string): Promise<{ readonly text: string }> {
  const topics = await listTopics();
  const topic = topics.find((one) => one.name === name.toLowerCase());
  if (topic) {
    const text = await readFile(topic.file, 'utf8');
    const isUsage = topic.kind === 'command';
    return { text: isUsage ? text.replace(/^```\n(?=agenttools )/m, '```\nUsage: ') : text };
  }
  const { readRulePage } = await import('./rule-page.js');
  const rule = await readRulePage(name).catch(() => undefined);
  if (rule) return { text: rule.page };
  const meant = didYouMean(
    name,
    topics.map((one) => one.name),
  );
  const hint = meant ? `Did you mean "${meant}"?` : 'List the topics with: agenttools help';
  throw new AgentToolsError('not-found', `There is no page "${name}". ${hint}`);
}
