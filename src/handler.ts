import './edge/no-code.js';
import { AgentToolsError } from './engine/base/errors.js';
import { Workspace } from './engine/extension/workspace.js';
import type { ServerDefinition } from './engine/runtime/definition-types/server-types.js';
import {
  createFetchHandler,
  type FetchHandler,
  type HandlerOptions,
} from './engine/serve/http/fetch-handler.js';
import { serveDefinition } from './engine/serve/http/serve-definition.js';

/** Servers as functions of requests, for platforms with `fetch` other than Node. See docs/deploy.md. */

export type { Caller, TokenFault, TokenVerifier, Verdict } from './engine/serve/http/auth.js';
export type { EventBus, ServerEvent } from './engine/serve/http/event-bus.js';
export type { FetchHandler, HandlerOptions } from './engine/serve/http/fetch-handler.js';
export type { LimitSettings } from './engine/serve/http/http-service.js';
export type { OAuthOptions } from './engine/serve/http/oauth.js';
/** Exports for authors, for platforms that cannot import `agenttools` itself. */
export * from './index.js';

/** Placeholder: these platforms have no folders. */
const nowhere = '/';

/** Resolves no names. */
class NoWorkspace extends Workspace {
  constructor() {
    const folders = { homeDirectory: nowhere, builtinFolder: nowhere, packagesFolder: nowhere };
    super({ ...folders, globalFolder: nowhere, cwd: nowhere });
  }

  override async builtins(): Promise<readonly []> {
    return [];
  }
}

/** Creates a fetch handler for a server definition with inline items. */
export function createHandler(definition: ServerDefinition, options: HandlerOptions = {}): FetchHandler {
  const workspace = new NoWorkspace();
  return createFetchHandler(async (setting) => {
    const served = await serveDefinition(definition, { ...setting, workspace, directory: nowhere });
    if (served.live.current.upstreams.length === 0) return served;
    const message =
      'An entry of "tools" lists tools of an upstream server, which only Node reaches. There, use createHandler of "agenttools/engine".';
    throw new AgentToolsError('invalid-definition', message);
  }, options);
}
