import path from 'node:path';
import { isRecord } from '../../../engine/base/value-checks.js';
import { visibleMessage } from '../../../engine/base/visible-text.js';
import type { ItemChoices } from '../../../engine/bridge/existing-resolver.js';
import { type NamedReference, openExisting } from '../../../engine/bridge/open-existing.js';
import { writeUpstreamServer } from '../../../engine/bridge/upstream-definition.js';
import { readHeaders } from '../../../engine/existing-servers/given-inputs.js';
import { readVariables } from '../../../engine/installation/secrets.js';
import { createUserServer } from '../../../engine/user-servers/create.js';
import { readServerFile, readServerStream } from '../../../engine/user-servers/server-file.js';
import type { Host } from '../../../host.js';
import { existingDeps, findExisting, type ServerInput } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { mayBeExisting } from '../../shared/may-be-existing.js';
import { withProgress } from '../../shared/progress.js';
import { runWithGuard } from '../../shared/run-guarded.js';
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
  /** A file, a reference to an existing server, or `-` for stdin. */
  readonly from: string | undefined;
  /** Inputs of an existing server. */
  readonly existing: ServerInput;
  /** Chosen and renamed tools of an existing server. */
  readonly choices: ItemChoices;
  readonly overwrite: boolean;
  readonly json: boolean;
}

/** Creates a user server and prints the next steps. */
export async function createServerCommand(
  { from, existing, choices, json, title, description, instructions, ...rest }: CreateServerInput,
  host: Host,
): Promise<ExitCode> {
  const made = await createUserServer(
    {
      ...rest,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(instructions !== undefined && { instructions }),
      ...(from !== undefined && (await definitionIn(from, { existing, choices }, host))),
    },
    workspaceOptions(host),
  );
  for (const note of made.notes) host.stderr.write(`note: ${visibleMessage(note)}\n`);
  host.stdout.write(json ? renderJson(withoutNotes(made)) : renderMadeServer(made, { color: host.color }));
  return ExitCode.Ok;
}

async function definitionIn(
  from: string,
  { existing, choices }: Pick<CreateServerInput, 'existing' | 'choices'>,
  host: Host,
): ReturnType<typeof readServerFile> {
  const { cwd, stdin } = host;
  if (from === '-') return await readServerStream(stdin, cwd);
  const named = mayBeExisting(from) ? await findExisting(from, undefined, host) : undefined;
  if (named && !(await isDefinition(from, cwd)))
    return { definition: await writeDefinition(named, { existing, choices }, host), directory: cwd };
  return await readServerFile(path.resolve(cwd, from));
}

/** Keys of files with existing servers. A definition has none of them. */
const foreignKeys = [
  'mcpServers',
  'servers',
  'context_servers',
  'mcp',
  'packages',
  'remotes',
  'server',
  'manifest_version',
  'dxt_version',
];

/** True for a JSON file with the definition of a server. */
async function isDefinition(from: string, cwd: string): Promise<boolean> {
  if (!from.endsWith('.json') || /^[a-z]{2,}:/i.test(from)) return false;
  const { definition } = await readServerFile(path.resolve(cwd, from));
  return !isRecord(definition) || !foreignKeys.some((key) => Object.hasOwn(definition, key));
}

async function writeDefinition(
  named: NamedReference,
  { existing, choices }: Pick<CreateServerInput, 'existing' | 'choices'>,
  host: Host,
): Promise<unknown> {
  const { env, args, headers, transport, mcpRegistry } = existing;
  const given = { env: readVariables(env, host.env), args, headers: readHeaders(headers) };
  const note = (line: string) => void host.stderr.write(`note: ${visibleMessage(line)}\n`);
  return await runWithGuard(
    host,
    async (signal) =>
      await withProgress(host, async (tell) => {
        const deps = existingDeps(host, { mcpRegistry, signal, report: note, tell });
        const server = await openExisting(named, deps, note);
        const written = await writeUpstreamServer(server, { given, choices, transport }, deps);
        const { definition, variables, omitted } = written;
        if (variables.length > 0)
          note(`The server needs these variables where it starts: ${variables.join(', ')}`);
        if (omitted.length > 0) note(`Optional inputs without a value: ${omitted.join(', ')}`);
        return definition;
      }),
  );
}
