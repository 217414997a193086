import { AgentToolsError } from '../../engine/errors.js';
import { readSpec } from '../../engine/npm/spec.js';
import { addPackage } from '../../engine/packages/add.js';
import type { Host } from '../../host.js';
import type { ExitCode } from '../exit-code.js';
import { exitCodeOf, hasData } from '../outcome.js';
import { packagesSetting } from '../packages-setting.js';
import { withProgress } from '../progress.js';
import { renderJson } from '../render/json.js';
import { type AddResult, additionData, additionLines } from '../render/packages.js';

export interface AddInput {
  readonly specs: readonly string[];
  readonly json: boolean;
}

/** Adds extension packages to our package folder. */
export async function addCommand({ specs, json }: AddInput, host: Host): Promise<ExitCode> {
  const wanted = await Promise.all(specs.map((text) => readSpec(text, host.cwd)));
  const results = await withProgress(host, async (tell) => {
    const setting = packagesSetting(host, tell);
    const done: AddResult[] = [];
    for (const [index, spec] of wanted.entries()) {
      done.push(await addPackage(spec, setting).catch(failureOf(specs[index]!)));
    }
    return done;
  });
  host.stderr.write(additionLines(results));
  if (json && hasData(results, { all: specs.length > 1 }))
    host.stdout.write(renderJson(results.map(additionData)));
  return exitCodeOf(results);
}

function failureOf(spec: string): (error: unknown) => AddResult {
  return (error) => {
    if (error instanceof AgentToolsError) return { spec, error };
    throw error;
  };
}
