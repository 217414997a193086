import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { createWrapper } from '../../../engine/wrapping/create-wrapper.js';
import type { Host } from '../../../host.js';
import { existingDeps, givenOptions, type InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { renderJson } from '../../shared/text/json.js';
import { writeNote } from '../../shared/write-note.js';
import type { CreateInput } from './run.js';
import { renderWrapper, withoutNotes } from './text.js';

interface CreateFromInput extends CreateInput {
  /** Reference to an existing server, a file or a plugin. */
  readonly from: string;
  /** Inputs of the servers. */
  readonly existing: InputOptions;
}

/** Writes an extension with existing servers and prints the next steps. */
export async function createFromCommand(
  { folder, typescript, app, name, from, existing, json }: CreateFromInput,
  host: Host,
): Promise<ExitCode> {
  if (typescript || app) {
    const message = '--ts and --app are for a new extension with its own tool. Leave them out with --from.';
    throw new AgentToolsError('usage', message);
  }
  const { transport, mcpRegistry } = existing;
  const given = givenOptions(existing, host);
  const note = (line: string) => writeNote(host, line);
  const made = await runWithProgress(host, async (signal, tell) => {
    const deps = existingDeps(host, { mcpRegistry, signal, report: note, tell });
    const directory = path.resolve(host.cwd, folder);
    return await createWrapper({ directory, name, from, given, transport }, deps);
  });
  for (const line of made.notes) note(line);
  host.stdout.write(
    json ? renderJson(withoutNotes(made)) : renderWrapper({ ...made, folder }, { color: host.color }),
  );
  return ExitCode.Ok;
}
