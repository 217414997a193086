import { fstatSync } from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { AgentToolsError } from '../../../engine/base/errors.js';
import { packageRoot, packageVersion } from '../../../engine/base/folders.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import { serveDev } from '../../../engine/dev/serve-dev.js';
import type { LoadCode } from '../../../engine/extension/extension.js';
import { findOrInstall } from '../../../engine/runtime/install-missing.js';
import { validateExtension } from '../../../engine/validate/validate.js';
import type { Host } from '../../../host.js';
import { autoInstallOptions } from '../../shared/auto-install.js';
import type { ExitCode } from '../../shared/exit-code.js';
import { openWorkspace } from '../../shared/workspace.js';

export interface DevInput {
  readonly server: string;
  readonly http: boolean;
  readonly stdio: boolean;
  readonly port: number;
  /** Default: over HTTP only. */
  readonly page?: boolean | undefined;
  /** Zero: any free port. */
  readonly pagePort: number;
  /** False to leave the build of the package to the author. */
  readonly build: boolean;
  /** Debugger port. Zero: any free port. */
  readonly inspect?: number | undefined;
  /** Debugger port on which the first host waits. */
  readonly inspectBrk?: number | undefined;
  readonly project: boolean;
  readonly autoInstall: boolean;
  readonly json: boolean;
}

/** Serves an extension from files that change. */
export async function devCommand(input: DevInput, host: Host): Promise<ExitCode> {
  const { server, http, stdio, port, build: builds, project, autoInstall, json } = input;
  if (http && stdio) throw new AgentToolsError('usage', 'Give --http or --stdio, not both.');
  const obtain = autoInstallOptions(host, { wanted: autoInstall, tell: () => {} });
  const { extension } = await findOrInstall(() => openWorkspace(host).findServer(server), {
    obtain,
    dryRun: false,
    signal: new AbortController().signal,
    report: (line) => void host.stderr.write(`${visibleText(line)}\n`),
  });
  const { directory, root } = extension.manifest;
  const isHttp = http || !(stdio || isPipe(host.stdin));
  const { page = isHttp, pagePort, inspect, inspectBrk } = input;
  const debugPort = inspectBrk ?? inspect;
  return await serveDev({
    host,
    server,
    project,
    obtain,
    directory,
    root,
    builds,
    ...(debugPort !== undefined && { debug: { port: debugPort, waits: inspectBrk !== undefined } }),
    http: isHttp ? { port } : undefined,
    page: page
      ? { pageFolder: path.join(packageRoot(), 'dist', 'preview'), version: packageVersion(), port: pagePort }
      : undefined,
    async validate() {
      const workspace = (loadCode: LoadCode) => openWorkspace(host, loadCode);
      const { diagnostics } = await validateExtension(directory, { load: true, resolve: false, workspace });
      return diagnostics;
    },
    onListening(urls) {
      // Over stdio, stdout belongs to the client.
      if (json && isHttp) host.stdout.write(`${JSON.stringify(urls)}\n`);
      const lines = [
        ...(urls.url === undefined ? [] : [`MCP over HTTP: ${urls.url}`]),
        ...(urls.page === undefined ? [] : [`Page: ${urls.page}`]),
      ];
      (json || !isHttp ? host.stderr : host.stdout).write(lines.map((line) => `${line}\n`).join(''));
    },
  });
}

/** True if another program writes to stdin: an MCP client. */
function isPipe(stdin: Readable & { readonly fd?: unknown }): boolean {
  if (typeof stdin.fd !== 'number') return true;
  const stats = fstatSync(stdin.fd);
  return stats.isFIFO() || stats.isSocket();
}
