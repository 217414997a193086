import { AgentToolsError } from '../../../engine/base/errors.js';
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
  { existing, strict, frozen }: StartInput,
  host: Host,
): Preparation {
  const { env = [], args = [], headers = [], transport, mcpRegistry, choices } = existing ?? {};
  const { argVariables = [], headerVariables = [] } = existing ?? {};
  const given = {
    env: readVariables(env, host.env),
    args: [...args, ...argVariables.map((word) => readPair(word, host.env).join('='))],
    headers: [
      ...readHeaders(headers),
      ...headerVariables.map((word) => {
        const [name, value] = readPair(word, host.env);
        return { name, value, isSecret: true };
      }),
    ],
  };
  const report = reporterOn(host.stderr);
  return {
    server: undefined,
    strict,
    frozen,
    inProcess: true,
    openServer: async (signal) => {
      const deps = existingDeps(host, { mcpRegistry, signal, report, tell: () => {} });
      const { compose, surfaceKey } = await createBridge({ ...named, given, transport, ...choices }, deps);
      return async () => ({ server: await compose(), surfaceKey, lacks: [] });
    },
  };
}

/** The name and the value of `name=VARIABLE`. @throws AgentToolsError if the variable is not set */
function readPair(word: string, env: Host['env']): readonly [string, string] {
  const [, name = '', variable = ''] = /^(.+)=([^=]+)$/s.exec(word) ?? [];
  const value = env[variable];
  if (value !== undefined) return [name, value];
  const message =
    variable === ''
      ? `"${word}" is not name=VARIABLE.`
      : `The variable ${variable} is not set, and ${name} needs its value. Set it in the environment of the server.`;
  throw new AgentToolsError('usage', message);
}
