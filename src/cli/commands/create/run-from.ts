import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { commandReference, readServerReference } from '../../../engine/existing-servers/server-reference.js';
import { createWrapper } from '../../../engine/wrapping/create-wrapper.js';
import type { Host } from '../../../host.js';
import { existingDeps, givenOptions, type InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { commandWithServer } from '../../shared/grammar/target-options.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { renderJson } from '../../shared/text/json.js';
import { writeNote } from '../../shared/write-note.js';
import type { CreateInput } from './run.js';
import { renderWrapper, withoutNotes } from './text.js';

interface CreateFromInput extends Pick<CreateInput, 'folder' | 'name' | 'json'> {
  /** The command line asks for a template or a language. */
  readonly isOwnTool: boolean;
  /** Reference to an existing server, a file or a plugin. Undefined with `command`. */
  readonly from: string | undefined;
  /** Command of an existing server. */
  readonly command?: readonly string[] | undefined;
  /** Inputs of the servers. */
  readonly existing: InputOptions;
}

/** Writes an extension with existing servers and prints the next steps. */
export async function createFromCommand(
  { folder, isOwnTool, name, from, command, existing, json }: CreateFromInput,
  host: Host,
): Promise<ExitCode> {
  if (isOwnTool) {
    const message =
      '--ts, --js, --template and --app are for a new extension with its own tool. Leave them out with --from.';
    throw new AgentToolsError('usage', message);
  }
  if (command && from !== undefined) throw commandWithServer(from);
  const source = command ? commandReference(command) : readServerReference(from ?? '');
  const { transport, mcpRegistry } = existing;
  const given = givenOptions(existing, host);
  const note = (line: string) => writeNote(host, line);
  const made = await runWithProgress(host, async (signal, tell) => {
    const deps = existingDeps(host, { mcpRegistry, signal, report: note, tell });
    const directory = path.resolve(host.cwd, folder);
    return await createWrapper({ directory, name, from: source, given, transport }, deps);
  });
  for (const line of made.notes) note(line);
  host.stdout.write(
    json ? renderJson(withoutNotes(made)) : renderWrapper({ ...made, folder }, { color: host.color }),
  );
  return ExitCode.Ok;
}
