import { text as readText } from 'node:stream/consumers';
import { workspaceFolders } from '../../../engine/base/folders.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { createBridge } from '../../../engine/bridge/existing-resolver.js';
import { withExistingHint } from '../../../engine/existing-servers/naming-hint.js';
import type { ServerSpec } from '../../../engine/runtime/compose-server.js';
import { findOrInstall } from '../../../engine/runtime/install-missing.js';
import { callComposed, composeFound, listTools, type ServerUse } from '../../../engine/serve/call-once.js';
import type { Host } from '../../../host.js';
import { autoInstallOptions } from '../../shared/auto-install.js';
import { existingDeps, findExisting, givenWith, type InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { parseJsonArguments } from '../../shared/json-arguments.js';
import { refuseExistingFlags } from '../../shared/not-existing.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { revealHost } from '../../shared/secrets.js';
import { offeringSignIn, rejectOnAbort } from '../../shared/sign-in-user.js';
import { renderJson } from '../../shared/text/json.js';
import { openWorkspace } from '../../shared/workspace.js';
import { checkArgumentNames } from './argument-names.js';
import { createTerminalUser } from './terminal-user.js';
import { renderResult, renderTools } from './text.js';
import { readToolArguments } from './tool-arguments.js';

export interface CallInput {
  /** Empty with `command`. */
  readonly server: string;
  /** Command of an existing server. */
  readonly command?: readonly string[] | undefined;
  /** Undefined: the tools are listed. */
  readonly tool: string | undefined;
  /** `name=value` for each argument, or one JSON object, or `-` for stdin. */
  readonly args: readonly string[];
  /** Inputs of an existing server. */
  readonly existing: InputOptions;
  readonly autoInstall: boolean;
  readonly json: boolean;
}

/** Calls one tool, or lists the tools. Prints the result to stdout, also if the result is a failure. */
export async function callCommand(
  { server, command, tool, args: words, existing, autoInstall, json }: CallInput,
  host: Host,
): Promise<ExitCode> {
  const isPiped = words.length === 1 && words[0] === '-';
  const args = isPiped ? parseJsonArguments(await readText(host.stdin)) : readToolArguments(words);
  const workspace = openWorkspace(host);
  const person = isPiped ? undefined : createTerminalUser(host);
  const working = runWithProgress(host, async (signal, tell) => {
    const obtain = autoInstallOptions(host, { wanted: autoInstall, tell });
    const report = (line: string) => {
      tell('');
      host.stderr.write(`${visibleText(line)}\n`);
    };
    const named = await findExisting(server, command, host, { takesInputs: true });
    if (!named) refuseExistingFlags(existing.flags, { command: 'call', server });
    const { env } = await revealHost(host, { inProcess: true });
    const { dataFolder } = workspaceFolders(host);
    const use = { env, report, person, dataFolder };
    const checked = (tool: string) => (inputSchema: unknown) => {
      const given = typeof args === 'function' ? args(inputSchema) : args;
      const warning = checkArgumentNames(given, { tool, inputSchema });
      if (warning !== undefined) report(warning);
      return given;
    };
    const answer = async (
      compose: () => Promise<ServerSpec>,
      rest: Pick<ServerUse, 'signal' | 'obtain' | 'signIn'>,
    ) =>
      tool === undefined
        ? { tools: await listTools(compose, { ...use, ...rest }) }
        : { result: await callComposed(compose, { ...use, ...rest, tool, args: checked(tool) }) };
    const run = async (ending: AbortSignal, signIn: ServerUse['signIn']) => {
      if (named) {
        const { transport, mcpRegistry } = existing;
        const { entered } = named;
        const there = { ...host, cwd: entered?.cwd ?? host.cwd };
        const deps = existingDeps(there, { mcpRegistry, signal: ending, report, tell });
        const given = givenWith(named, existing, host);
        const { compose } = await createBridge(
          { ...named, given, transport: transport ?? entered?.transport },
          deps,
        );
        return await answer(compose, { signal: ending, signIn });
      }
      const find = () => workspace.findServer(server);
      const found = await findOrInstall(find, { obtain, dryRun: false, signal, report }).catch(
        (error: unknown) => {
          throw withExistingHint(error, server);
        },
      );
      const compose = composeFound(found, workspace, { env, report });
      return await answer(compose, { obtain, signal: ending, signIn });
    };
    return await offeringSignIn(host, async (signIn, left) => {
      if (!person) return await run(AbortSignal.any([signal, left]), signIn);
      const result = run(AbortSignal.any([signal, left, person.left]), signIn);
      // A handler that does not await the answer may never end.
      return await Promise.race([result, rejectOnAbort(person.left)]);
    });
  });
  const answer = await working;
  if ('tools' in answer) {
    host.stdout.write(
      json ? renderJson(answer.tools.map(({ wire }) => wire)) : renderTools(answer.tools, host),
    );
    return ExitCode.Ok;
  }
  const { result } = answer;
  host.stdout.write(json ? renderJson(result) : renderResult(result));
  const { judgeResult } = await import('../../../engine/compatibility/result-checks.js');
  for (const { severity, code, message } of judgeResult(result))
    host.stderr.write(`${severity} ${code}: ${message}\n`);
  return result.isError ? ExitCode.Failed : ExitCode.Ok;
}
