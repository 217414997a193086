import { AgentToolsError } from '../../../engine/base/errors.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { readSpec } from '../../../engine/npm/package-spec.js';
import { withoutUserinfo } from '../../../engine/npm/without-userinfo.js';
import { addPackage, type ConfirmWidening } from '../../../engine/packages/add.js';
import type { Host } from '../../../host.js';
import { readAllowedCodes } from '../../shared/allow-findings.js';
import { askYesNo } from '../../shared/ask-question.js';
import { ExitCode } from '../../shared/exit-code.js';
import { toExitCode } from '../../shared/exit-outcome.js';
import { renderResults } from '../../shared/failure.js';
import { askingNpmSetting } from '../../shared/npm-deps.js';
import { packagesSetting } from '../../shared/packages-deps.js';
import { withProgress } from '../../shared/progress.js';
import { type AddResult, additionData, additionLines } from './text.js';

export interface AddInput {
  readonly specs: readonly string[];
  /** Codes of findings in texts that the user allows. */
  readonly allowFindings: readonly string[];
  /** Refuses packages without a verified provenance. */
  readonly requireProvenance: boolean;
  /** Allows outgoing settings of the project, and versions that have more than the added ones. */
  readonly yes: boolean;
  readonly json: boolean;
}

/** Adds extension packages to the package store. */
export async function addCommand(
  { specs, allowFindings: codes, requireProvenance, yes, json }: AddInput,
  host: Host,
): Promise<ExitCode> {
  const allowFindings = readAllowedCodes(codes);
  const results = await withProgress(host, async (tell) => {
    const confirm: ConfirmWidening = async ({ name, from, to, sentences }) => {
      tell('');
      host.stderr.write(visibleText(sentences.map((one) => `warning: ${one}\n`).join('')));
      return yes || (await askYesNo(`Change ${name} from ${from} to ${to}?`, host));
    };
    const setting = packagesSetting(host, tell, {
      npm: askingNpmSetting(host, { yes, tell }),
      allowFindings,
      requireProvenance,
    });
    const done: AddResult[] = [];
    for (const text of specs) {
      const adding = readSpec(text, host.cwd).then((spec) => addPackage(spec, setting, confirm));
      done.push(await adding.catch(addFailure(text)));
    }
    return done;
  });
  host.stderr.write(additionLines(results));
  if (json)
    host.stdout.write(
      renderResults(results, { all: specs.length > 1, data: () => results.map(additionData) }),
    );
  const isMisread = results.some((result) => 'error' in result && result.error.code === 'usage');
  return isMisread ? ExitCode.Usage : toExitCode(results);
}

/** Messages and JSON output can be stored elsewhere, so they omit the password of a spec. */
function addFailure(text: string): (error: unknown) => AddResult {
  return (error) => {
    if (error instanceof AgentToolsError) return { spec: withoutUserinfo(text), error };
    throw error;
  };
}
