import type { Severities, Suppression } from '../../../engine/validate/rule-settings.js';
import { unusedSuppression } from '../../../engine/validate/rules/unused-suppression.js';
import type { SharedConfig } from '../../../engine/validate/shared-config.js';
import { unusedMessage } from '../../../engine/validate/suppress.js';
import type { LocatedDiagnostic } from '../../../engine/validate/validate.js';
import type { SettledReport } from './settings.js';
import type { ConfigReport } from './validation.js';

/** The suppressions in shared configs that no package needs. Correct only for reports of all packages of the configs. */
export async function findIdleSuppressions(
  reports: readonly SettledReport[],
  rules: Severities,
): Promise<readonly ConfigReport[]> {
  const configs = new Map<SharedConfig, SettledReport[]>();
  for (const one of reports) {
    const { config } = one.settings;
    if (config) configs.set(config, [...(configs.get(config) ?? []), one]);
  }
  const found = await Promise.all(
    [...configs].map(async ([config, own]) => {
      const idle = config.rules.suppressions.filter((entry) => own.every((one) => isIdle(entry, one)));
      const diagnostics = await Promise.all(idle.map((entry) => toDiagnostics(entry, config, rules)));
      return { file: config.file, diagnostics: diagnostics.flat() };
    }),
  );
  return found.filter(({ diagnostics }) => diagnostics.length > 0);
}

function isIdle(entry: Suppression, { report, settings }: SettledReport): boolean {
  const given = settings.shared?.suppressions.find(({ at }) => at === entry.at);
  return given === undefined || (report.unusedShared ?? []).includes(given);
}

async function toDiagnostics(
  entry: Suppression,
  { file, rules: { severities }, positionOf }: SharedConfig,
  rules: Severities,
): Promise<readonly LocatedDiagnostic[]> {
  const { code } = unusedSuppression;
  const severity = { [code]: unusedSuppression.severity, ...severities, ...rules }[code]!;
  if (severity === 'off') return [];
  const { line, column } = await positionOf(['rules', ...entry.at]);
  const help = `agenttools explain ${code}`;
  return [{ code, severity, message: unusedMessage(entry), file, line, column, help }];
}
