import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { packageVersion } from '../../../engine/base/folders.js';
import { withExistingHint } from '../../../engine/existing-servers/naming-hint.js';
import { ModuleParser } from '../../../engine/validate/inspector.js';
import { ruleTable } from '../../../engine/validate/rules/index.js';
import type { Host } from '../../../host.js';
import type { InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { refuseExistingFlags } from '../../shared/not-existing.js';
import { withProgress } from '../../shared/progress.js';
import { renderDiffs } from '../../shared/text/diff.js';
import { showsHyperlinks } from '../../shared/text/hyperlink.js';
import { writeNote } from '../../shared/write-note.js';
import { type BaselineMode, holdAgainstBaselines } from './baselines.js';
import { findIdleSuppressions } from './config-reports.js';
import { type FixMode, fixReports, proposeFixes } from './fixing.js';
import { type ValidateFormat, validateFormats } from './formats.js';
import { type ReportOptions, reportOn } from './reports.js';
import { parseRuleSettings } from './rule-settings.js';
import { runNotes } from './run-notes.js';
import { type GivenSettings, SettingsReader, type SettledReport } from './settings.js';
import { writeStepSummary } from './step-summary.js';
import { findSubjects, type Subject, type SubjectInput } from './subjects.js';
import { summarize } from './validation.js';

export interface ValidateInput
  extends Pick<ReportOptions, 'load' | 'boot' | 'initialize' | 'release' | 'resolve' | 'timeoutMs'>,
    GivenSettings,
    SubjectInput,
    BaselineMode {
  readonly format: ValidateFormat;
  /** Makes warnings fail too. */
  readonly strict: boolean;
  /** `code=level` words. */
  readonly ruleSettings: readonly string[];
  readonly existing: InputOptions;
  /** Absent: changes no file. */
  readonly fix: FixMode | undefined;
}

/** Formats that contain the notes about a run. */
const notedFormats: readonly ValidateFormat[] = ['pretty', 'json', 'markdown'];

/** Reports the problems of extension packages and existing servers. */
export async function validateCommand(input: ValidateInput, host: Host): Promise<ExitCode> {
  const { cwd, color, stdout } = host;
  const parser = new ModuleParser(input.timeoutMs);
  parser.start();
  const rules = parseRuleSettings(input.ruleSettings);
  const settings = new SettingsReader(input, host);
  const { subjects, skipped } = await findSubjects(input, host).catch((error: unknown) => {
    parser.close();
    throw error;
  });
  if (subjects.every((one) => 'directory' in one))
    refuseExistingFlags(input.existing.flags, { command: 'validate', server: input.paths[0] });
  if (input.fix && subjects.every((one) => 'server' in one)) {
    parser.close();
    throw new AgentToolsError(
      'usage',
      '--fix changes the files of extensions, and an existing server has none.',
    );
  }

  const { reports, fixed } = await withProgress(host, async (tell) => {
    const report = async (subject: Subject): Promise<SettledReport> => {
      const chosen = await settings.settingsFor('directory' in subject ? subject.directory : cwd);
      const options = { ...input, ...chosen, rules, parser };
      if ('server' in subject) {
        tell(`Checking ${subject.server.text}`);
        const { reportOnServer } = await import('./server-report.js');
        return {
          report: await reportOnServer(subject.server, { ...options, tell }, host),
          settings: chosen,
        };
      }
      const { directory, word } = subject;
      tell(`Checking ${directory}`);
      const made = await reportOn(directory, options, host).catch((error: unknown) => {
        // Only a word without a folder can mean an existing server.
        throw existsSync(directory) ? error : withExistingHint(error, word, ['usage']);
      });
      return { directory, report: made, settings: chosen };
    };
    const first: SettledReport[] = [];
    for (const subject of subjects) first.push(await report(subject));
    if (input.fix !== 'write') return { reports: first, fixed: [] };
    const again = (directory: string) => report({ directory, word: directory });
    return await fixReports(first, again, cwd);
  }).finally(() => parser.close());

  if (input.fix === 'propose') {
    const changes = await proposeFixes(reports, cwd);
    stdout.write(renderDiffs(changes));
    if (changes.length === 0) writeNote(host, 'There is nothing that --fix would change.');
    return ExitCode.Ok;
  }
  const held = await holdAgainstBaselines(reports, input, cwd);
  const configs = input.workspaces ? await findIdleSuppressions(held.reports, rules) : [];
  const facts = { skipped, fixed, baselines: held.baselines };
  const validation = summarize(held.reports, { cwd, strict: input.strict, configs, ...facts });
  const render = await validateFormats[input.format]();
  const base = pathToFileURL(path.join(cwd, path.sep)).href;
  const options = {
    color,
    hyperlinks: showsHyperlinks(host),
    strict: input.strict,
    rules: ruleTable,
    version: packageVersion(),
    base,
  };
  stdout.write(await render(validation, options));
  if (!notedFormats.includes(input.format))
    for (const line of runNotes(validation)) host.stderr.write(`${line}\n`);
  if (input.format === 'github') await writeStepSummary(validation, options, host);
  return validation.valid ? ExitCode.Ok : ExitCode.Failed;
}
