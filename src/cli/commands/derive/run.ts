import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { derive, writeDerivation } from '../../../engine/derive/derive.js';
import type { Host } from '../../../host.js';
import { askYesNo } from '../../shared/ask-question.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderFailure } from '../../shared/failure.js';
import { npmSetting } from '../../shared/npm-deps.js';
import { withProgress } from '../../shared/progress.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { renderJson } from '../../shared/text/json.js';
import { derivationOutcome, renderDerivation } from './text.js';

export interface DeriveInput {
  /** Folder of a package. */
  readonly directory: string;
  /** Only compares the written file with the current types; writes nothing. */
  readonly check: boolean;
  /** True if a missing compiler is fetched without a question. */
  readonly fetchCompiler: boolean;
  readonly timeoutMs: number;
  readonly json: boolean;
}

/** Writes the schemas derived from the functions of tools, or checks that the written ones are current. */
export async function deriveCommand(
  { directory, check, fetchCompiler, timeoutMs, json }: DeriveInput,
  host: Host,
): Promise<ExitCode> {
  const { cwd, color, stdout, stderr } = host;
  const folder = path.resolve(cwd, directory);
  const helper = path.join(workspaceFolders(host).cacheFolder, 'compiler');
  const read = async () =>
    await withProgress(host, async (tell) => {
      tell(`Reading the types of ${folder}`);
      return await derive(folder, { timeoutMs, helper });
    });
  const derivation = await read().catch(async (error: unknown) => {
    await fetchFor(error, helper, fetchCompiler, host);
    return await read();
  });
  if (!check && !derivation.hasErrors) await writeDerivation(derivation);
  stderr.write(renderDerivation(derivation, { check, color }));
  if (json && derivation.derived) stdout.write(renderJson(derivation.derived));
  else if (json && derivation.hasErrors) {
    const error = new AgentToolsError('failed', derivationOutcome(derivation, check));
    stdout.write(renderFailure(error, { remarks: derivation.remarks }));
  }
  const isStale = check && derivation.state !== 'current';
  return derivation.hasErrors || isStale ? ExitCode.Failed : ExitCode.Ok;
}

/** Fetches a compiler with the consent of the user. @throws the error without consent, or if it has another cause */
async function fetchFor(error: unknown, helper: string, isAllowed: boolean, host: Host): Promise<void> {
  const { helperCompiler, MissingCompilerError } = await import(
    '../../../engine/derive/typescript/compiler.js'
  );
  if (!(error instanceof MissingCompilerError)) throw error;
  const question = `${error.reason} Fetch ${helperCompiler} (24 MB) from your npm registry into ${helper}?`;
  if (!isAllowed && !(await askYesNo(question, host))) throw error;
  const { installInto } = await import('../../../engine/npm/install-into.js');
  await runWithProgress(host, async (signal, tell) => {
    tell(`Fetching ${helperCompiler}`);
    await installInto(helper, `${helperCompiler}@6`, { npm: npmSetting(host), signal });
  });
}
