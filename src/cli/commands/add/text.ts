import type { AgentToolsError } from '../../../engine/base/errors.js';
import { visibleMessage, visibleText } from '../../../engine/base/visible-text.js';
import type { Kind } from '../../../engine/extension/item-kinds.js';
import { kinds } from '../../../engine/extension/item-kinds.js';
import { shortName } from '../../../engine/extension/names.js';
import type { AddOutcome } from '../../../engine/packages/add.js';
import { failureData } from '../../shared/failure.js';
import { failureCount, failuresLast, packageFailureLine } from '../../shared/text/failures.js';
import { findingLines, findingsData } from '../../shared/text/findings.js';

/** Result of one requested package: added or failed. */
export type AddResult = AddOutcome | { readonly spec: string; readonly error: AgentToolsError };

/** Report of `add`, with the next step. */
export function additionLines(results: readonly AddResult[]): string {
  const lines = failuresLast(results).flatMap((result) =>
    'error' in result ? [packageFailureLine(result.spec, result.error)] : renderAddition(result),
  );
  return visibleText([...lines, ...failureCount(results, 'packages')].map((line) => `${line}\n`).join(''));
}

function renderAddition(addition: AddOutcome): readonly string[] {
  const { added, previous, changed, warnings, findings } = addition;
  const { name, version } = added.record;
  const items = groupItemNames(addition);
  const declared = kinds.flatMap((kind) => {
    const names = kind === 'servers' ? items.servers : items[kind].map(shortName);
    return names.length === 0 ? [] : [`  ${kind}: ${names.join(', ')}`];
  });
  // Items of these toolkits are unknown until their files are read.
  const toolkits = addition.extension.manifest.toolkits.flatMap(({ name, tools }) => (tools ? [] : name));
  const [server] = items.servers;
  return [
    changed ? changeLine(name, version, previous) : `${name} ${version} is there already.`,
    ...declared,
    ...(toolkits.length > 0 ? [`  toolkits: ${toolkits.join(', ')}`] : []),
    ...warnings.map((warning) => `warning: ${visibleMessage(warning)}`),
    ...findingLines(findings),
    ...(server === undefined
      ? []
      : [
          `Install it into a client with: agenttools install <client> ${items.servers.length > 1 ? '<server>' : server}`,
        ]),
  ];
}

function changeLine(name: string, version: string, previous: string | null): string {
  if (previous === null) return `Added ${name} ${version}.`;
  if (previous === version)
    return `Added ${name} ${version} again: its source, its files or what came with it were other ones.`;
  return `Changed ${name} from ${previous} to ${version}.`;
}

/** Qualified names, by kind. */
function groupItemNames({ extension, servers }: AddOutcome): Readonly<Record<Kind, readonly string[]>> {
  const names = (kind: Kind) =>
    extension.manifest.declarations[kind].map(({ name }) => extension.qualify(name));
  return {
    servers,
    tools: names('tools'),
    prompts: names('prompts'),
    resources: names('resources'),
    apps: names('apps'),
  };
}

/** JSON output of `add`. */
export function additionData(result: AddResult): object {
  if ('error' in result) return { spec: result.spec, error: failureData(result.error) };
  const { name, version, integrity } = result.added.record;
  return {
    name,
    version,
    previous: result.previous,
    ...groupItemNames(result),
    integrity,
    ...findingsData(result.findings),
  };
}
