import type { Severity } from '../../../engine/extension/diagnostics.js';
import { type ColorOption, paint, styleFor } from '../../shared/text/style.js';

interface RuleTableRow {
  readonly code: string;
  readonly severity: Severity;
  readonly summary: string;
}

/** Lists all diagnostic codes, one per line. */
export function renderRuleTable(rows: readonly RuleTableRow[], options: ColorOption): string {
  const style = styleFor(options);
  const width = Math.max(...rows.map(({ code }) => code.length));
  const line = ({ code, severity, summary }: RuleTableRow) =>
    `${style.bold(code.padEnd(width))}  ${paint[severity](style)(severity.padEnd(7))}  ${summary}\n`;
  return rows.map(line).join('');
}
