import path from 'node:path';
import { visibleMessage } from '../../../engine/base/visible-text.js';
import { createUserServer } from '../../../engine/user-servers/create.js';
import { readServerFile, readServerStream } from '../../../engine/user-servers/server-file.js';
import type { Host } from '../../../host.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderJson } from '../../shared/text/json.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { renderMadeServer, withoutNotes } from './text.js';

export interface CreateServerInput {
  readonly name: string;
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly apps: readonly string[];
  readonly skills: readonly string[];
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly instructions: string | undefined;
  /** A file, or `-` for stdin. */
  readonly from: string | undefined;
  readonly overwrite: boolean;
  readonly json: boolean;
}

/** Creates a user server and prints the next steps. */
export async function createServerCommand(
  { from, json, title, description, instructions, ...rest }: CreateServerInput,
  host: Host,
): Promise<ExitCode> {
  const made = await createUserServer(
    {
      ...rest,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(instructions !== undefined && { instructions }),
      ...(from !== undefined && (await definitionIn(from, host))),
    },
    workspaceOptions(host),
  );
  for (const note of made.notes) host.stderr.write(`note: ${visibleMessage(note)}\n`);
  host.stdout.write(json ? renderJson(withoutNotes(made)) : renderMadeServer(made, { color: host.color }));
  return ExitCode.Ok;
}

async function definitionIn(from: string, { cwd, stdin }: Host): ReturnType<typeof readServerFile> {
  if (from !== '-') return await readServerFile(path.resolve(cwd, from));
  return await readServerStream(stdin, cwd);
}
