import { workspaceFolders } from '../../engine/folders.js';
import { installationFolders } from '../../engine/installation/setting.js';
import { propertyOf, show } from '../../engine/show.js';
import type { Host } from '../../host.js';
import { ExitCode } from '../exit-code.js';
import { guarded } from '../guarded.js';
import { renderFacts, renderValue } from '../render/facts.js';
import { renderJson } from '../render/json.js';
import { openWorkspace } from '../workspace.js';

export interface ShowInput {
  /** A server, a package or an item. */
  readonly reference: string;
  readonly property: string | undefined;
  readonly json: boolean;
}

/** Prints everything known about a server, a package or an item, or one property of it. */
export async function showCommand({ reference, property, json }: ShowInput, host: Host): Promise<ExitCode> {
  const { homeDirectory } = workspaceFolders(host);
  const { receipts } = installationFolders(host);
  const place = { workspace: openWorkspace(host), cwd: host.cwd, homeDirectory, receipts };
  const facts = await guarded(host, () => show(reference, place));
  if (property !== undefined) {
    const value = propertyOf(facts, property);
    host.stdout.write(json ? renderJson(value) : renderValue(value));
    return ExitCode.Ok;
  }
  host.stdout.write(json ? renderJson(facts) : renderFacts(facts, { color: host.color }));
  return ExitCode.Ok;
}
