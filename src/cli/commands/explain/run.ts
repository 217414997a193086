import type { Host } from '../../../host.js';
import { codeTable } from '../../shared/code-table.js';
import { ExitCode } from '../../shared/exit-code.js';
import { readRulePage } from '../../shared/rule-page.js';
import { terminalWidth } from '../../shared/terminal-width.js';
import { renderJson } from '../../shared/text/json.js';
import { renderMarkdown } from '../../shared/text/markdown.js';
import { renderRuleTable } from './text.js';

export interface ExplainInput {
  /** Default: lists all codes. */
  readonly code: string | undefined;
  readonly json: boolean;
}

/** Prints the page of a diagnostic code, or the list of all codes. */
export async function explainCommand(
  { code, json }: ExplainInput,
  { stdout, color }: Host,
): Promise<ExitCode> {
  if (code === undefined) {
    const rows = codeTable.map(({ code, severity, summary }) => ({ code, severity, summary }));
    stdout.write(json ? renderJson(rows) : renderRuleTable(rows, { color }));
    return ExitCode.Ok;
  }
  const page = await readRulePage(code);
  stdout.write(json ? renderJson(page) : renderMarkdown(page.page, { color, width: terminalWidth(stdout) }));
  return ExitCode.Ok;
}
