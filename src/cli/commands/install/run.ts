import { AgentToolsError } from '../../../engine/base/errors.js';
import { chosenServer } from '../../../engine/installation/choose-server.js';
import { install } from '../../../engine/installation/install.js';
import type { InstallRequest } from '../../../engine/installation/install-request.js';
import type { InstallResult } from '../../../engine/installation/install-result.js';
import {
  installationFolders,
  resolveScope,
  selectClients,
} from '../../../engine/installation/installation-folders.js';
import { readVariables } from '../../../engine/installation/secrets.js';
import { readPermissions } from '../../../engine/sandbox/permissions.js';
import type { Host } from '../../../host.js';
import { readAllowedCodes } from '../../shared/allow-findings.js';
import { askServer, askYesNo, isInteractive } from '../../shared/ask-question.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { toExitCode } from '../../shared/exit-outcome.js';
import { renderResults } from '../../shared/failure.js';
import type { SandboxInput } from '../../shared/grammar/sandbox-options.js';
import { commandWithServer, type TargetInput } from '../../shared/grammar/target-options.js';
import { installDeps } from '../../shared/install-deps.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { logInNow } from '../../shared/sign-in-user.js';
import { workspaceOptions } from '../../shared/workspace.js';
import { installData, installDiff, installLines, manualSnippet, skippedLine } from './text.js';
import type { Walk, WalkInput } from './walk-through.js';

export interface InstallInput extends TargetInput {
  /** True to show the changes, and to ask for consent before they are written. */
  readonly isReviewed: boolean;
  readonly name: string | undefined;
  /** `NAME=value`, or `NAME` alone. */
  readonly env: readonly string[];
  /** `name=value` of an input, or an argument. */
  readonly args: readonly string[];
  /** `Name: value` */
  readonly headers: readonly string[];
  readonly transport: InstallRequest['transport'];
  readonly choices: InstallRequest['choices'];
  /** Packages that may run their install scripts. */
  readonly allowScripts: readonly string[];
  /** Refuses a package without a verified provenance. */
  readonly requireProvenance: boolean;
  /** Codes of findings in texts that the user allows. */
  readonly allowFindings: readonly string[];
  /** Expected SHA-256 of a bundle. */
  readonly sha256: string | undefined;
  /** Base URL of the MCP Registry, or `none`. */
  readonly mcpRegistry: string | undefined;
  /** Command of an existing server. */
  readonly command: readonly string[] | undefined;
  readonly toolOptions: readonly string[];
  /** Undefined without an option for UI apps. */
  readonly apps: boolean | undefined;
  readonly cwd: string | undefined;
  readonly by: InstallRequest['by'];
  readonly verify: boolean;
  readonly verifyTimeoutMs: number;
  readonly autoInstall: boolean;
  /** Writes an entry that runs `dev`. */
  readonly dev: boolean;
  /** Writes `--frozen` into the entry. */
  readonly frozen: boolean;
  /** Adaptation of tools to the clients. */
  readonly adapt: InstallRequest['adapt'];
  /** Options for the sandbox, which go into the entry. */
  readonly sandbox: SandboxInput;
  readonly dryRun: boolean;
  readonly force: boolean;
  /** Allows outgoing settings of the project, and accepts changed items. */
  readonly yes: boolean;
  readonly json: boolean;
}

/** Asks for the missing words of a command line; undefined if stdin is not a terminal. @throws AgentToolsError `interrupted` */
export async function walkIfInteractive(input: WalkInput, host: Host): Promise<Walk | undefined> {
  if (!isInteractive(host)) return undefined;
  const { walkThrough } = await import('./walk-through.js');
  return await walkThrough(input, host);
}

/** Writes a server into the config files of clients. Prints data to stdout and the report to stderr. */
export async function installCommand(input: InstallInput, host: Host): Promise<ExitCode> {
  const { verify, verifyTimeoutMs, env, server, json, dryRun, autoInstall, mcpRegistry, yes, ...rest } =
    input;
  if (rest.command && server !== undefined) throw commandWithServer(server);
  if (rest.frozen && !verify) throw frozenWithoutStart();
  if (rest.dev && (rest.frozen || input.sandbox.use !== 'declared' || rest.command)) throw devWithOthers();
  const allowFindings = readAllowedCodes(rest.allowFindings);
  const folders = installationFolders(host);
  const scope = resolveScope(input, host);
  const selection = await selectClients(input, { scope, ...folders });
  const { clients, isList } = selection;
  host.stderr.write(skippedLine(selection, { isNamed: input.client !== undefined }));
  const workspace = workspaceOptions(host);
  const reference =
    server ??
    rest.command?.join(' ') ??
    (await chosenServer(workspace, async (names) => await askServer(names, host)));
  const variables = readVariables(env, host.env);
  const reviewed = input.isReviewed && !dryRun ? await import('./walk-through.js') : undefined;
  const review = async (planned: readonly InstallResult[], tell: (text: string) => void) => {
    tell('');
    await reviewed!.reviewInstall(planned, host);
  };
  const work = async () =>
    await runWithProgress(
      host,
      async (signal, tell) =>
        await install(
          {
            ...rest,
            clients,
            scope,
            reference,
            sandbox: sandboxOptions(input.sandbox, host),
            variables,
            dryRun,
            yes,
            verifyTimeoutMs: verify ? verifyTimeoutMs : undefined,
          },
          {
            ...installDeps(host, {
              folders,
              mcpRegistry,
              yes,
              autoInstall,
              allowFindings,
              requireProvenance: rest.requireProvenance,
              signal,
              tell,
            }),
            review: reviewed && (async (planned) => await review(planned, tell)),
          },
        ),
    );
  const results = await (reviewed ? reviewed.withoutLeftovers(work, host) : work());
  host.stderr.write(installLines(results, { dryRun, verified: verify, absent: selection.absent }));
  if (json) {
    const data = () => installData(results, { isList, dryRun });
    host.stdout.write(renderResults(results, { all: isList, data }));
  } else host.stdout.write(manualSnippet(results) + (dryRun ? installDiff(results) : ''));
  if (reviewed) host.stderr.write(reviewed.sameCommand(input));
  if (!dryRun) await offerLogins(results, host);
  return toExitCode(results);
}

/** The options for the sandbox with absolute paths: clients start the server in any folder. */
function sandboxOptions({ use, level, allowed }: SandboxInput, { cwd, home }: Host): readonly string[] {
  if (use !== 'always') return use === 'never' ? ['--no-sandbox'] : [];
  const { files, network, run, env } = readPermissions(allowed, { base: cwd, home });
  const words = (option: string, list: readonly string[]) => list.flatMap((one) => [option, one]);
  return [
    level === undefined ? '--sandbox' : `--sandbox=${level}`,
    ...words('--allow-read', files.read),
    ...words('--allow-write', files.write),
    ...words('--allow-net', network),
    ...words('--allow-run', run),
    ...words('--allow-env', env),
  ];
}

/** Offers the sign-ins that new entries need. */
async function offerLogins(results: readonly InstallResult[], host: Host): Promise<void> {
  const servers = results.flatMap((result) => ('signIn' in result && result.signIn ? [result.signIn] : []));
  for (const server of new Set(servers)) {
    if (await askYesNo(`Sign in to ${server} now?`, host)) await logInNow(server, host);
  }
}

function devWithOthers(): AgentToolsError {
  const message =
    '--dev serves an extension from files that change. Leave out --frozen, the options for the sandbox, and --.';
  return new AgentToolsError('usage', message);
}

function frozenWithoutStart(): AgentToolsError {
  const message =
    '--frozen records the items that the server lists, so the server is started. Leave out --no-verify.';
  return new AgentToolsError('usage', message);
}
