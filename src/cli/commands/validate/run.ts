import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageVersion } from '../../../engine/base/folders.js';
import { ModuleParser } from '../../../engine/validate/inspector.js';
import { ruleTable } from '../../../engine/validate/rules/index.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { withProgress } from '../../shared/progress.js';
import { type ValidateFormat, validateFormats } from './formats.js';
import { type ReportOptions, reportOn } from './reports.js';
import { parseRuleSettings } from './rule-settings.js';
import { summarize } from './validation.js';

export interface ValidateInput extends Omit<ReportOptions, 'rules' | 'parser'> {
  readonly paths: readonly string[];
  readonly format: ValidateFormat;
  /** Makes warnings fail too. */
  readonly strict: boolean;
  /** `code=level` words. */
  readonly ruleSettings: readonly string[];
}

/** Reports the problems of extension packages. */
export async function validateCommand(input: ValidateInput, host: Host): Promise<ExitCode> {
  const { cwd, color, stdout } = host;
  const parser = new ModuleParser(input.timeoutMs);
  parser.start();
  const options = { ...input, rules: parseRuleSettings(input.ruleSettings), parser };
  const directories = [...new Set(input.paths.map((one) => path.resolve(cwd, one)))];

  const reports = await withProgress(host, async (tell) => {
    const made = [];
    for (const directory of directories) {
      tell(`Checking ${directory}`);
      made.push({ directory, report: await reportOn(directory, options, host) });
    }
    return made;
  }).finally(() => parser.close());

  const validation = summarize(reports, { cwd, strict: input.strict });
  const render = await validateFormats[input.format]();
  const base = pathToFileURL(path.join(cwd, path.sep)).href;
  stdout.write(render(validation, { color, rules: ruleTable, version: packageVersion(), base }));
  return validation.valid ? ExitCode.Ok : ExitCode.Failed;
}
