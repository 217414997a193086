import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../../engine/base/errors.js';
import { packageRoot } from '../../engine/base/folders.js';
import { type CodeRow, codeTable } from './code-table.js';
import { unknownCode } from './unknown-code.js';

/** A diagnostic code with its page. */
export interface RulePage extends CodeRow {
  /** Markdown. */
  readonly page: string;
}

/** Reads the page of a code. @throws AgentToolsError if the code is unknown. */
export async function readRulePage(code: string): Promise<RulePage> {
  const row = codeTable.find((one) => one.code === code);
  if (!row) {
    const known = codeTable.map((one) => one.code);
    throw new AgentToolsError('not-found', unknownCode(code, known));
  }
  const { severity, summary } = row;
  const page = await (code.startsWith('doctor/') ? readSection(code) : readRule(code));
  return { code, severity, summary, page: page ?? `# ${code}\n\n${summary}\n` };
}

async function readRule(code: string): Promise<string | undefined> {
  return await readDoc('rules', `${code}.md`);
}

/** One page describes all findings of `doctor`, each in a section. */
async function readSection(code: string): Promise<string | undefined> {
  const page = (await readDoc('doctor.md')) ?? '';
  const [, section] = page.split(`\n### \`${code}\`\n`);
  return section && `# ${code}\n${section.split(/^##/m)[0]!.trimEnd()}\n`;
}

async function readDoc(...names: readonly string[]): Promise<string | undefined> {
  return await readFile(path.join(packageRoot(), 'docs', ...names), 'utf8').catch(() => undefined);
}
