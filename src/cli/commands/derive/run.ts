import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { derive, writeDerivation } from '../../../engine/derive/derive.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderFailure } from '../../shared/failure.js';
import { withProgress } from '../../shared/progress.js';
import { renderJson } from '../../shared/text/json.js';
import { derivationOutcome, renderDerivation } from './text.js';

export interface DeriveInput {
  /** Folder of a package. */
  readonly directory: string;
  /** Only compares the written file with the current types; writes nothing. */
  readonly check: boolean;
  readonly timeoutMs: number;
  readonly json: boolean;
}

/** Writes the schemas derived from the functions of tools, or checks that the written ones are current. */
export async function deriveCommand(
  { directory, check, timeoutMs, json }: DeriveInput,
  host: Host,
): Promise<ExitCode> {
  const { cwd, color, stdout, stderr } = host;
  const folder = path.resolve(cwd, directory);
  const derivation = await withProgress(host, async (tell) => {
    tell(`Reading the types of ${folder}`);
    return await derive(folder, { timeoutMs });
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
