import { workspaceFolders } from '../../../engine/base/folders.js';
import { visibleMessage } from '../../../engine/base/visible-text.js';
import type { Facts } from '../../../engine/discovery/facts.js';
import { isPublished, propertyOf } from '../../../engine/discovery/facts-property.js';
import { type FindPublished, publishedExtensions } from '../../../engine/discovery/published-lookup.js';
import { show } from '../../../engine/discovery/show-reference.js';
import { installationFolders } from '../../../engine/installation/installation-folders.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { withProgress } from '../../shared/progress.js';
import { runWithGuard } from '../../shared/run-guarded.js';
import { renderJson } from '../../shared/text/json.js';
import { openWorkspace } from '../../shared/workspace.js';
import { renderFacts, renderValue } from './text.js';

export interface ShowInput {
  /** A server, a package or an item. */
  readonly reference: string;
  readonly property: string | undefined;
  readonly json: boolean;
}

/** Prints everything known about a server, a package or an item, or one property of it. */
export async function showCommand({ reference, property, json }: ShowInput, host: Host): Promise<ExitCode> {
  const notes: string[] = [];
  const facts = await runWithGuard(host, () =>
    findFacts(reference, host, (note) => void notes.push(note)),
  ).finally(() => {
    for (const note of notes) host.stderr.write(`note: ${visibleMessage(note)}\n`);
  });
  if (property !== undefined) {
    const value = propertyOf(facts, property);
    host.stdout.write(json ? renderJson(value) : renderValue(value));
    return ExitCode.Ok;
  }
  if (isPublished(facts)) {
    const name = 'package' in facts ? facts.package : facts.name;
    host.stderr.write(`note: ${name} is not installed. Add it with: agenttools add ${name}\n`);
  }
  host.stdout.write(json ? renderJson(facts) : renderFacts(facts, { color: host.color }));
  return ExitCode.Ok;
}

async function findFacts(reference: string, host: Host, note: (text: string) => void): Promise<Facts> {
  const { homeDirectory } = workspaceFolders(host);
  const { receipts } = installationFolders(host);
  const find = publishedExtensions({ npm: npmSetting(host) });
  return await withProgress(host, (tell) => {
    const published: FindPublished = async (name) => {
      tell(`Asking the registry for ${name}`);
      return await find(name);
    };
    return show(reference, {
      workspace: openWorkspace(host),
      cwd: host.cwd,
      homeDirectory,
      receipts,
      published,
      note,
    });
  });
}
