import { AgentToolsError } from '../../../engine/base/errors.js';
import type { Severity } from '../../../engine/extension/diagnostics.js';
import { type Severities, severityWords } from '../../../engine/validate/rule-settings.js';
import { ruleTable } from '../../../engine/validate/rules/index.js';
import { unknownCode } from '../../shared/unknown-code.js';

/** Parses `code=level` words; the last one of a code wins. @throws AgentToolsError `usage` */
export function parseRuleSettings(words: readonly string[]): Severities {
  return Object.fromEntries(words.map(parseSetting));
}

function parseSetting(word: string): [string, Severity | 'off'] {
  const [code = '', level, ...rest] = word.trim().split('=');
  if (code === '' || level === undefined || rest.length > 0) {
    throw new AgentToolsError('usage', `--rule "${word}" is not code=level. Levels: off, info, warn, error.`);
  }
  const known = ruleTable.map((row) => row.code);
  if (!known.includes(code)) throw new AgentToolsError('usage', unknownCode(code, known));
  if (!Object.hasOwn(severityWords, level)) {
    throw new AgentToolsError(
      'usage',
      `--rule ${code} has no level "${level}". Levels: off, info, warn, error.`,
    );
  }
  return [code, severityWords[level]!];
}
