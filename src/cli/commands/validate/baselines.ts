import { AgentToolsError } from '../../../engine/base/errors.js';
import { applyBaseline, baselineOf, readBaseline, writeBaseline } from '../../../engine/validate/baseline.js';
import type { SettledReport } from './settings.js';
import { displayPath, type UsedBaseline } from './validation.js';

export interface BaselineMode {
  /** True to replace the entries of the checked packages. */
  readonly updateBaseline: boolean;
}

/**
 * Moves the diagnostics that are in the baselines to the suppressed ones. Writes baselines that are missing.
 * @throws AgentToolsError if a baseline cannot be read or written
 */
export async function holdAgainstBaselines(
  reports: readonly SettledReport[],
  { updateBaseline }: BaselineMode,
  cwd: string,
): Promise<{ readonly reports: readonly SettledReport[]; readonly baselines: readonly UsedBaseline[] }> {
  const files = new Set(reports.flatMap(({ settings }) => settings.baseline ?? []));
  if (updateBaseline && files.size === 0)
    throw new AgentToolsError('usage', '--update-baseline needs a file. Add --baseline <file>.');
  const results = new Map(reports.map((one) => [one, one]));
  const baselines: UsedBaseline[] = [];
  for (const file of files) {
    const own = reports.filter(({ settings }) => settings.baseline === file);
    const found = own.map(({ report }) => report);
    const known = await readBaseline(file);
    const isWritten = known === undefined || updateBaseline;
    const names = new Set(found.map(({ name }) => name));
    const others = (known ?? []).filter((entry) => !names.has(entry.package));
    const entries = isWritten ? [...others, ...baselineOf(found)] : known;
    if (isWritten) await writeBaseline(file, entries);
    const shown = displayPath(cwd, file);
    const { reports: left, gone } = applyBaseline(found, entries, shown);
    for (const [index, one] of own.entries()) results.set(one, { ...one, report: left[index]! });
    const outcome = known === undefined ? 'written' : isWritten ? 'updated' : 'matched';
    baselines.push({ file: shown, outcome, gone });
  }
  return { reports: reports.map((one) => results.get(one)!), baselines };
}
