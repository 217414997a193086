import { reporterOn } from '../../../engine/base/line-reporter.js';
import { createBridge } from '../../../engine/bridge/existing-resolver.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import { readHeaders } from '../../../engine/existing-servers/given-inputs.js';
import { readVariables } from '../../../engine/installation/secrets.js';
import type { Preparation } from '../../../engine/serve/prepare-server.js';
import type { Host } from '../../../host.js';
import { existingDeps } from '../../shared/existing.js';
import type { StartInput } from './arguments.js';

/** Prepares an existing server. Its own code runs in its own process, so there is no extension host. */
export function existingPreparation(
  named: NamedReference,
  { existing, strict }: StartInput,
  host: Host,
): Preparation {
  const { env = [], args = [], headers = [], transport, mcpRegistry, choices } = existing ?? {};
  const given = { env: readVariables(env, host.env), args, headers: readHeaders(headers) };
  const report = reporterOn(host.stderr);
  return {
    server: undefined,
    strict,
    inProcess: true,
    openServer: async (signal) => {
      const deps = existingDeps(host, { mcpRegistry, signal, report, tell: () => {} });
      const compose = await createBridge({ ...named, given, transport, ...choices }, deps);
      return async () => ({ server: await compose(), lacks: [] });
    },
  };
}
