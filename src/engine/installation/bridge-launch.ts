import { hasSecretReference } from '../base/secret-reference.js';
import { freeVariableName, toVariableName } from '../base/variable-name.js';
import type { ItemChoices } from '../bridge/existing-resolver.js';
import type { Client, Launch } from '../clients/client.js';
import { toStartable } from '../clients/entry-shapes.js';
import { remoteShapeOf, signsInByItself } from '../clients/table/remote-shapes.js';
import type { ExistingServer, InputValues, RemoteTransport } from '../existing-servers/existing-server.js';
import { assignInputs, type GivenOptions, type PathBase } from '../existing-servers/given-inputs.js';
import { appsVariable } from './apps-setting.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import type { BridgedParts, InstallSource } from './install-source.js';
import { adaptWords, sandboxWords } from './launch.js';
import type { ServerVariable } from './secrets.js';

/** Given values of an existing server that runs through `agenttools start`. */
export interface BridgeInputs {
  readonly server: ExistingServer;
  readonly given: GivenOptions;
  /** Answers of the user, by input id. */
  readonly answers: InputValues;
  readonly base: PathBase;
  readonly transport?: RemoteTransport | undefined;
  /** Command line of a server without a reference. */
  readonly command?: readonly string[] | undefined;
}

/**
 * Builds the launch of an existing server through `agenttools start`. Secrets are variables, which `--arg-env` and
 * `--header-env` name.
 */
export function bridgeLaunch(
  { server, given, answers, base, transport, command }: BridgeInputs,
  request: InstallRequest,
  { program, version, dataFolder, surroundings }: InstallDeps,
): BridgedParts {
  const { values, extra } = assignInputs(server, given, base);
  const all = { ...answers, ...values };
  const variables: ServerVariable[] = [...extra.env];
  const words: string[] = [];
  // Some clients expand references in arguments, so separate options name secrets.
  const refer = (option: string, name: string, value: string): void => {
    const variable = variableFor(name, variables);
    variables.push({ name: variable, value, isSecret: !hasSecretReference(value) });
    words.push(option, `${name}=${variable}`);
  };
  for (const input of server.inputs) {
    const { id, givenBy, name, isSecret } = input;
    for (const value of [all[id] ?? []].flat()) {
      if (givenBy === 'env')
        variables.push({ name, value, isSecret: isSecret && !hasSecretReference(value) });
      else if (isSecret || hasSecretReference(value)) refer(`--${givenBy}-env`, name, value);
      else if (givenBy === 'arg') words.push('--arg', `${name}=${value}`);
      else words.push('--header', `${name}: ${value}`);
    }
  }
  // A command contains its arguments already.
  if (!command) for (const word of extra.args) words.push('--arg', word);
  for (const { name, value, isSecret } of extra.headers) {
    if (isSecret || hasSecretReference(value)) refer('--header-env', name, value);
    else words.push('--header', `${name}: ${value}`);
  }
  const forServer = server.inputs.flatMap(({ givenBy, name }) => (givenBy === 'env' ? [name] : []));
  const passed = [...new Set([...extra.env.map(({ name }) => name), ...forServer])].filter((name) =>
    variables.some((variable) => variable.name === name),
  );
  const args = [
    'start',
    ...(request.frozen ? ['--frozen'] : []),
    ...adaptWords(request.adapt),
    ...sandboxWords(request.sandbox, passed),
    ...choiceWords(request.choices),
    ...(transport === undefined ? [] : ['--transport', transport]),
    ...words,
    ...(command ? ['--', ...command] : [server.reference]),
  ];
  // An entry that others share must not contain details of this machine.
  const isShared = request.scope.kind === 'project' && request.by === 'npx';
  const env = {
    ...(dataFolder !== undefined && !isShared && { AGENTTOOLS_HOME: dataFolder }),
    ...(request.apps === false && { [appsVariable]: 'false' }),
    ...Object.fromEntries(variables.map(({ name, value }) => [name, value])),
  };
  const folder = request.cwd === undefined ? {} : { cwd: request.cwd };
  const launch: Launch =
    request.by === 'npx'
      ? { command: 'npx', args: ['-y', `agenttools@${version}`, ...args], env, ...folder }
      : toStartable(
          { command: program.command, args: [...program.args, ...args], env, ...folder },
          surroundings.platform,
        );
  return { launch, isOurs: true, variables, secretArguments: [] };
}

/** A name of a variable that no other one has: `API_KEY` for `--api-key`. */
function variableFor(name: string, taken: readonly ServerVariable[]): string {
  const plain = toVariableName(`MCP_${name.replace(/^-+/, '')}`);
  return freeVariableName(plain, (one) => taken.some((variable) => variable.name === one));
}

/** The choices as options of `start`. */
function choiceWords({ only, except, prefix, rename, toolList }: ItemChoices): readonly string[] {
  return [
    ...(only ? ['--only', only.join(',')] : []),
    ...(except ? ['--except', except.join(',')] : []),
    ...(prefix === undefined ? [] : ['--prefix', prefix]),
    ...Object.entries(rename ?? {}).flatMap(([theirs, ours]) => ['--rename', `${theirs}=${ours}`]),
    ...(toolList === 'catalog' ? ['--catalog'] : []),
  ];
}

/** Reason why the entry of a client must go through `agenttools start`; undefined if it need not. */
export function bridgeReason(
  client: Client,
  { launch, secretArguments, usesStore, signIn }: InstallSource,
  { adapt, apps, choices, frozen, sandbox, scope }: InstallRequest,
): string | undefined {
  if (frozen) return 'which checks that its tools are the recorded ones';
  if (adapt === 'on' || adapt === 'auto') return `which adapts its tools to ${client.name}`;
  if (apps === false) return 'which keeps its UI apps off';
  if (sandbox.length > 0) return 'which runs it in a sandbox';
  if (Object.keys(choices).length > 0) return 'which chooses its tools';
  if (usesStore) return 'which reads its secrets from the secret store';
  if (client.manual) return undefined;
  if (secretArguments.length > 0 && scope.kind !== 'user') return 'which reads its secrets from variables';
  if (!('url' in launch)) return undefined;
  if (signIn && !signsInByItself(client)) return 'which signs in to it';
  if (remoteShapeOf(client)?.transports.includes(launch.transport)) return undefined;
  return `since ${client.name} cannot reach it directly`;
}
