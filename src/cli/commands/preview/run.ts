import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { ownProgram, packageRoot, packageVersion } from '../../../engine/base/folders.js';
import { errorMessage } from '../../../engine/base/thrown-value.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { withExistingHint } from '../../../engine/existing-servers/naming-hint.js';
import { type FoundServer, serverName } from '../../../engine/extension/workspace.js';
import { readVariables } from '../../../engine/installation/secrets.js';
import { type Picture, takePicture } from '../../../engine/preview/app-picture.js';
import {
  type InitialViewArguments,
  openPreview,
  type PreviewOptions,
} from '../../../engine/preview/preview.js';
import { findOrInstall } from '../../../engine/runtime/install-missing.js';
import type { Host } from '../../../host.js';
import { autoInstallOptions } from '../../shared/auto-install.js';
import { findExisting, type InputOptions } from '../../shared/existing.js';
import { ExitCode } from '../../shared/exit-code.js';
import { refuseExistingFlags } from '../../shared/not-existing.js';
import { withProgress } from '../../shared/progress.js';
import { runWithProgress } from '../../shared/run-guarded.js';
import { renderJson } from '../../shared/text/json.js';
import { untilSignal } from '../../shared/until-signal.js';
import { openWorkspace } from '../../shared/workspace.js';

export interface PreviewInput extends InitialViewArguments {
  /** Empty with `command`. */
  readonly server: string;
  /** Command of an existing server. */
  readonly command?: readonly string[] | undefined;
  /** Inputs of an existing server. */
  readonly existing: InputOptions;
  /** Zero: any free port. */
  readonly port: number;
  /** File for the screenshot. Default: serves the page until a signal. */
  readonly screenshot?: string | undefined;
  /** Longest wait for the server's first response. */
  readonly timeoutMs: number;
  readonly autoInstall: boolean;
  readonly json: boolean;
}

/** Shows the apps of an extension in a local page, or takes a screenshot of one app. */
export async function previewCommand(input: PreviewInput, host: Host): Promise<ExitCode> {
  return input.screenshot === undefined
    ? await servePage(input, host)
    : await takeScreenshot(input, input.screenshot, host);
}

async function servePage(input: PreviewInput, host: Host): Promise<ExitCode> {
  const { port, json } = input;
  const tell = (text: string) => void host.stderr.write(visibleText(text));
  await untilSignal(async (signal) => {
    const found = await findServer(input, host, signal);
    // The files of an existing server are not watched.
    const directory = found?.extension.manifest.directory;
    const shown = previewOptions(input, host);
    const options = { ...shown, port, ...(directory !== undefined && { directory }), onText: tell, signal };
    const preview = await withProgress(host, async (say) => {
      say(`Starting ${shown.reference}`);
      return await openPreview(options);
    });
    const { url, apps } = preview;
    const server = found ? serverName(found) : preview.server;
    host.stdout.write(json ? renderJson({ url, server, apps }) : `${url}\n`);
    if (!json)
      tell('Open this page in a browser. Anyone with its URL can call the tools. Press Ctrl+C to stop.\n');
    return preview;
  });
  return ExitCode.Ok;
}

async function takeScreenshot(input: PreviewInput, file: string, host: Host): Promise<ExitCode> {
  const target = path.resolve(host.cwd, file);
  const picture = await runWithProgress(host, async (signal, say) => {
    await findServer(input, host, signal);
    const options = previewOptions(input, host);
    say(`Taking a picture of ${options.reference}`);
    return await takePicture({ ...options, place: host, signal });
  });
  await writePicture(target, picture);
  const { png, violations, ...facts } = picture;
  for (const { directive, blocked } of violations) {
    host.stderr.write(visibleText(`blocked by the policy: ${directive} ${blocked}\n`));
  }
  host.stdout.write(input.json ? renderJson({ file: target, ...facts, violations }) : `${target}\n`);
  return ExitCode.Ok;
}

/** The server of an extension; undefined: an existing server, which its own start finds. */
async function findServer(
  { server, command, existing, autoInstall }: PreviewInput,
  host: Host,
  signal: AbortSignal,
): Promise<FoundServer | undefined> {
  if (await findExisting(server, command, host)) return undefined;
  refuseExistingFlags(existing.flags, { command: 'preview', server });
  const workspace = openWorkspace(host);
  return await withProgress(host, async (tell) => {
    const obtain = autoInstallOptions(host, { wanted: autoInstall, tell });
    const report = (line: string) => {
      tell('');
      host.stderr.write(`${visibleText(line)}\n`);
    };
    const find = () => workspace.findServer(server);
    return await findOrInstall(find, { obtain, dryRun: false, signal, report }).catch((error: unknown) => {
      throw withExistingHint(error, server);
    });
  });
}

/**
 * Starts the server as a client would. Without `MCP_APPS_ENABLED`, the capabilities of the preview enable its
 * apps.
 */
function previewOptions(input: PreviewInput, host: Host): Omit<PreviewOptions, 'port'> {
  const { server, autoInstall, timeoutMs, app, tool, arguments: args, theme, width, height } = input;
  const words = input.command ?? [server];
  const { command, args: first } = ownProgram();
  const inputs = inputFlags(input.existing, host);
  const flags = [...(autoInstall ? [] : ['--no-auto-install']), ...inputs.flags];
  const env = { ...host.env, ...inputs.env, MCP_APPS_ENABLED: undefined, MCP_SERVER_NAME: undefined };
  return {
    reference: words.join(' '),
    child: { command, args: [...first, 'start', ...flags, '--', ...words], cwd: host.cwd, env },
    pageFolder: path.join(packageRoot(), 'dist', 'preview'),
    version: packageVersion(),
    timeoutMs,
    asked: { app, tool, arguments: args, theme, width, height },
  };
}

/** Options of `start` for the inputs of an existing server. Values of variables are in `env`, not on the command line. */
function inputFlags(
  { env, args, headers, transport, mcpRegistry }: InputOptions,
  host: Host,
): { readonly flags: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  const variables = readVariables(env, host.env);
  return {
    flags: [
      ...variables.map(({ name }) => `--env=${name}`),
      ...args.map((arg) => `--arg=${arg}`),
      ...headers.map((header) => `--header=${header}`),
      ...(transport === undefined ? [] : [`--transport=${transport}`]),
      ...(mcpRegistry === undefined ? [] : [`--mcp-registry=${mcpRegistry}`]),
    ],
    env: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
  };
}

async function writePicture(target: string, { png }: Picture): Promise<void> {
  try {
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, png);
  } catch (error) {
    const message = `The picture cannot be written to ${target}: ${errorMessage(error)}.`;
    throw new AgentToolsError('failed', message, { cause: error });
  }
}
