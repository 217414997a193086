import { visibleText } from '../../../engine/base/visible-text.js';
import type { RemovalResult } from '../../../engine/packages/remove.js';
import { failureData } from '../../shared/failure.js';
import { failureCount, failuresLast, packageFailureLine } from '../../shared/text/failures.js';

/** Report of `remove`. */
export function removalLines(results: readonly RemovalResult[]): string {
  const lines = failuresLast(results).flatMap((result) => {
    if ('error' in result) return [packageFailureLine(result.name, result.error)];
    const { removed, references, unreadable } = result;
    const without = references.map(({ by, item }) => `warning: ${by} no longer has ${item}.`);
    const untold = unreadable.map((sentence) => `warning: ${sentence}`);
    return [`Removed ${removed.name} ${removed.record.version}.`, ...without, ...untold];
  });
  return visibleText([...lines, ...failureCount(results, 'packages')].map((line) => `${line}\n`).join(''));
}

/** JSON output of `remove`. */
export function removalData(result: RemovalResult): object {
  if ('error' in result) return { name: result.name, error: failureData(result.error) };
  const { removed, references } = result;
  return { name: removed.name, version: removed.record.version, references };
}
