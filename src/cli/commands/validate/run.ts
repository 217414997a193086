import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { packageVersion } from '../../../engine/base/folders.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import type { TokenBudget } from '../../../engine/compatibility/token-budget.js';
import { findTokenCounter } from '../../../engine/compatibility/token-counter.js';
import { withExistingHint } from '../../../engine/existing-servers/naming-hint.js';
import { ModuleParser } from '../../../engine/validate/inspector.js';
import { ruleTable } from '../../../engine/validate/rules/index.js';
import type { Host } from '../../../host.js';
import { findExisting, type InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { mayBeExisting } from '../../shared/may-be-existing.js';
import { refuseExistingFlags } from '../../shared/not-existing.js';
import { withProgress } from '../../shared/progress.js';
import { chooseClients } from './client-choice.js';
import { type ValidateFormat, validateFormats } from './formats.js';
import { findInstalledServer } from './installed-server.js';
import { type ReportOptions, reportOn } from './reports.js';
import { parseRuleSettings } from './rule-settings.js';
import { summarize } from './validation.js';

export interface ValidateInput extends Omit<ReportOptions, 'rules' | 'parser' | 'clients' | 'budget'> {
  readonly paths: readonly string[];
  readonly format: ValidateFormat;
  /** Makes warnings fail too. */
  readonly strict: boolean;
  /** `code=level` words. */
  readonly ruleSettings: readonly string[];
  /** Ids of clients, `all` or `installed`. Empty: only faults that lose tools or descriptions in some client. */
  readonly clientWords: readonly string[];
  /** Absent: tokens are not counted. */
  readonly budget: TokenBudget | undefined;
  /** Command of an existing server. */
  readonly command: readonly string[] | undefined;
  readonly existing: InputOptions;
}

/** Reports the problems of extension packages and existing servers. */
export async function validateCommand(input: ValidateInput, host: Host): Promise<ExitCode> {
  const { cwd, color, stdout } = host;
  const parser = new ModuleParser(input.timeoutMs);
  parser.start();
  const rules = parseRuleSettings(input.ruleSettings);
  const clients = input.clientWords.length > 0 ? await chooseClients(input.clientWords, host) : undefined;
  const budget = input.budget && { ...input.budget, counter: await findTokenCounter(host.cwd) };
  const options = { ...input, rules, clients, budget, parser };
  const subjects = await findSubjects(input, host);
  if (subjects.every((one) => 'directory' in one))
    refuseExistingFlags(input.existing.flags, { command: 'validate', server: input.paths[0] });

  const reports = await withProgress(host, async (tell) => {
    const made = [];
    for (const subject of subjects) {
      if ('directory' in subject) {
        const { directory } = subject;
        tell(`Checking ${directory}`);
        const report = await reportOn(directory, options, host).catch((error: unknown) => {
          // Only a word without a folder can mean an existing server.
          throw existsSync(directory) ? error : withExistingHint(error, subject.word, ['usage']);
        });
        made.push({ directory, report });
      } else {
        tell(`Checking ${subject.server.text}`);
        const { reportOnServer } = await import('./server-report.js');
        made.push({
          report: await reportOnServer(subject.server, { ...input, rules, clients, budget, tell }, host),
        });
      }
    }
    return made;
  }).finally(() => parser.close());

  const validation = summarize(reports, { cwd, strict: input.strict });
  const render = await validateFormats[input.format]();
  const base = pathToFileURL(path.join(cwd, path.sep)).href;
  stdout.write(render(validation, { color, rules: ruleTable, version: packageVersion(), base }));
  return validation.valid ? ExitCode.Ok : ExitCode.Failed;
}

/** A package folder, or an existing server. */
type Subject =
  /** `word`: the folder, as the command line names it. */
  { readonly directory: string; readonly word: string } | { readonly server: NamedReference };

/** @throws AgentToolsError `refused` if `--no-load` forbids to start a server */
async function findSubjects(
  { paths, command, load }: ValidateInput,
  host: Host,
): Promise<readonly Subject[]> {
  const words = paths.length > 0 || command ? paths : ['.'];
  const found = await Promise.all(
    [...new Set(words)].map(async (word): Promise<Subject> => {
      const server = mayBeExisting(word)
        ? await findExisting(word, undefined, host)
        : await findInstalledServer(word, host);
      return server ? { server } : { directory: path.resolve(host.cwd, word), word };
    }),
  );
  const named = command && (await findExisting(undefined, command, host));
  const subjects = named ? [...found, { server: named }] : found;
  const directories = new Map(
    subjects.flatMap((one) => ('directory' in one ? [[one.directory, one.word] as const] : [])),
  );
  const servers = subjects.filter((one) => 'server' in one);
  if (servers.length > 0 && !load)
    throw new AgentToolsError(
      'usage',
      '--no-load starts nothing, and an existing server must be started to be checked. Leave it out.',
    );
  return [...[...directories].map(([directory, word]) => ({ directory, word })), ...servers];
}
