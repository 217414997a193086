import { AgentToolsError } from '../../../engine/base/errors.js';
import { reporterOn } from '../../../engine/base/line-reporter.js';
import { errorMessage } from '../../../engine/base/thrown-value.js';
import { toOneLine } from '../../../engine/base/to-one-line.js';
import { type Bridge, createBridge } from '../../../engine/bridge/existing-resolver.js';
import { followUpdates } from '../../../engine/bridge/follow-updates.js';
import type { NamedReference } from '../../../engine/bridge/open-existing.js';
import type { GivenOptions } from '../../../engine/existing-servers/given-inputs.js';
import { readServerReference } from '../../../engine/existing-servers/server-reference.js';
import type { Preparation } from '../../../engine/serve/prepare-server.js';
import type { SandboxChoice } from '../../../engine/serve/server-sandbox.js';
import type { Host } from '../../../host.js';
import { existingDeps, givenOptions } from '../../shared/existing.js';
import type { ExistingInput, StartInput } from './arguments.js';

/** Prepares an existing server. Its own code runs in its own process, so there is no extension host. */
export function existingPreparation(
  named: NamedReference,
  { existing, strict, frozen, adapt }: StartInput,
  host: Host,
  { use, allowed }: SandboxChoice,
): Preparation {
  const { transport, mcpRegistry, choices } = existing ?? {};
  const given = existing ? withVariables(givenOptions(existing, host), existing, host.env) : noOptions;
  const report = reporterOn(host.stderr);
  const passes = use === 'always' ? (allowed?.env ?? []) : undefined;
  const request = { ...named, given, transport, adapt, ...choices, passes };
  const depsFor = (signal: AbortSignal) =>
    existingDeps(host, { mcpRegistry, ignoresProject: true, signal, report, tell: () => {} });
  let bridge: Bridge | undefined;
  return {
    server: undefined,
    strict,
    frozen,
    inProcess: true,
    openServer: async (signal) => {
      const first = await createBridge(request, depsFor(signal));
      bridge = first;
      return async () => {
        const { compose, surfaceKey } = bridge ?? first;
        return { server: await compose(), surfaceKey, lacks: [] };
      };
    },
    followUpdates: (renew, signal) => {
      const before = bridge;
      if (!before) return;
      const deps = depsFor(signal);
      const { dataFolder } = deps;
      const onUpdate = async (text: string) => {
        const meant = readServerReference(text) as NamedReference['meant'];
        const served = bridge;
        try {
          bridge = await createBridge({ ...request, text, meant }, deps);
          await renew();
          report(`Updated while served: ${text}.`);
        } catch (error) {
          bridge = served;
          const reason = toOneLine(errorMessage(error));
          report(`The update to ${text} cannot be served: ${reason} The version before is served on.`);
        }
      };
      void followUpdates(before.server, { dataFolder, signal, onUpdate });
    },
  };
}

const noOptions: GivenOptions = { env: [], args: [], headers: [] };

/** Adds the values of `--arg-env` and `--header-env`. @throws AgentToolsError if a variable is not set */
function withVariables(
  { env, args, headers }: GivenOptions,
  { argVariables, headerVariables }: ExistingInput,
  variables: Host['env'],
): GivenOptions {
  return {
    env,
    args: [...args, ...argVariables.map((word) => readPair(word, variables).join('='))],
    headers: [
      ...headers,
      ...headerVariables.map((word) => {
        const [name, value] = readPair(word, variables);
        return { name, value, isSecret: true };
      }),
    ],
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
