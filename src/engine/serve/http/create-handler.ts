import os from 'node:os';
import process from 'node:process';
import { workspaceFolders } from '../../base/folders.js';
import { reporterOn } from '../../base/line-reporter.js';
import { Workspace } from '../../extension/workspace.js';
import type { ServerDefinition } from '../../runtime/definition-types/server-types.js';
import { openUpstreamsWith } from '../../server/open-upstreams.js';
import { prepareServer } from '../prepare-server.js';
import { createFetchHandler, type FetchHandler, type HandlerOptions } from './fetch-handler.js';
import { serveDefinition } from './serve-definition.js';

export interface NodeHandlerOptions extends HandlerOptions {
  /** Refuse to serve if an item has to be left out. */
  readonly strict?: boolean | undefined;
  /** Folder that names and paths are resolved in. Default: the working directory. */
  readonly cwd?: string | undefined;
}

/**
 * Creates a handler for a server: a path or qualified name, as `start` takes it, or a server definition. Does not
 * install missing packages. Extensions print to the output of this program.
 */
export function createHandler(
  source: string | ServerDefinition,
  options: NodeHandlerOptions = {},
): FetchHandler {
  const {
    cwd = process.cwd(),
    strict = false,
    env = process.env,
    report = reporterOn(process.stderr),
  } = options;
  return createFetchHandler(
    async (setting) => {
      const host = { cwd, env: setting.env, home: os.homedir(), platform: process.platform };
      if (typeof source === 'string') {
        return await prepareServer(
          { server: source, strict, project: true, inProcess: true },
          { host, ...setting },
        );
      }
      const workspace = new Workspace({ ...workspaceFolders(host), cwd });
      const openUpstreams = openUpstreamsWith(setting);
      return await serveDefinition(source, { ...setting, workspace, directory: cwd, openUpstreams });
    },
    { ...options, env, report },
  );
}
