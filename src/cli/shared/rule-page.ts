import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../../engine/base/errors.js';
import { packageRoot } from '../../engine/base/folders.js';
import { type RuleRow, ruleTable } from '../../engine/validate/rules/index.js';
import { unknownCode } from './unknown-code.js';

/** A diagnostic code with its page. */
export interface RulePage extends RuleRow {
  /** Markdown. */
  readonly page: string;
}

/** Reads the page of a diagnostic code. @throws AgentToolsError if the code is unknown. */
export async function readRulePage(code: string): Promise<RulePage> {
  const row = ruleTable.find((one) => one.code === code);
  if (!row) throw new AgentToolsError('not-found', unknownCode(code));
  const file = path.join(packageRoot(), 'docs', 'rules', `${code}.md`);
  const page = await readFile(file, 'utf8').catch(() => `# ${code}\n\n${row.summary}\n`);
  return { code, severity: row.severity, summary: row.summary, page };
}
