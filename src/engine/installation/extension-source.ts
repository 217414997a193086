import { AgentToolsError } from '../base/errors.js';
import { joinNames } from '../base/join-names.js';
import type { Client } from '../clients/client.js';
import { deriveKey, writtenKey } from '../clients/entry-keys.js';
import { findPackageTexts } from '../packages/package-findings.js';
import { PackageStore } from '../packages/package-store.js';
import type { ServerSpec } from '../runtime/compose-server.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import type { InstallSource } from './install-source.js';
import { findBrokenCode, findCandidate, type InstallableServer, isOnlyHere } from './installable-server.js';
import { resolveLaunch } from './launch.js';
import { checkRequirements } from './requirements.js';
import { readToolSettings } from './tool-settings.js';

/** A server of an extension. @throws AgentToolsError if it is missing, or it cannot be installed as requested */
export async function extensionSource(
  reference: string,
  request: InstallRequest,
  setting: InstallDeps,
): Promise<InstallSource> {
  const project = request.scope.kind === 'project' ? request.scope.folder : undefined;
  const { dryRun } = request;
  refuseExistingOptions(reference, request);
  const { workspace, obtain, signal, report } = setting;
  const candidate = await findCandidate({ reference, workspace, project, obtain, dryRun, signal, report });
  if (request.by === 'npx' && isOnlyHere(candidate)) {
    const what = candidate.byPath ? 'A server given by its path' : 'A server that you made';
    const message = `${what} is on this machine only, so npx cannot start it elsewhere. Leave out --command npx, or name a published package.`;
    throw new AgentToolsError('refused', message);
  }
  const { spec } = candidate;
  if (request.requireProvenance) await requireProvenance(spec, setting);
  const toolOptions = readToolSettings(request.toolOptions, spec);
  const notes = request.verifyTimeoutMs === undefined ? [] : await findBrokenCode(spec);
  return {
    reference,
    server: spec.qualifiedName,
    argument: candidate.argument,
    isExisting: false,
    kind: 'extension',
    version: spec.extension.manifest.packageVersion,
    family: alternativesKey(spec),
    isOnlyHere: isOnlyHere(candidate),
    launch: resolveLaunch({ candidate, toolOptions }, request, setting),
    isOurs: true,
    secretHeaders: [],
    secretArguments: [],
    variables: request.variables,
    toolOptions,
    subject: spec.extension.manifest.packageName,
    findings: await findPackageTexts(spec.extension),
    notes,
    keyFor: (client) => keyFor(client, spec),
    ownKey: spec.configKey,
    adapt: spec.adapt,
    checkClient: (client) => requireRequirements({ client, candidate }, request, setting),
  };
}

/** @throws AgentToolsError unless the package was added with a verified provenance */
async function requireProvenance({ extension }: ServerSpec, { workspace }: InstallDeps): Promise<void> {
  const { directory, packageName } = extension.manifest;
  const added = await new PackageStore(workspace.packagesFolder).findByFolder(directory);
  if (added?.record.provenance) return;
  const message = `${packageName} has no verified provenance. Add a version that has: agenttools add ${packageName} --require-provenance`;
  throw new AgentToolsError('refused', message);
}

/** @throws AgentToolsError `usage` for options that only existing servers take */
function refuseExistingOptions(
  reference: string,
  { choices, args, headers, transport, allowScripts, sha256 }: InstallRequest,
): void {
  if (Object.keys(choices).length > 0)
    throw new AgentToolsError(
      'usage',
      `--only, --except, --prefix, --rename and --catalog are for existing MCP servers, and ${reference} is a server of an extension. Choose its tools in a server that you create with agenttools create-server`,
    );
  const given = [
    ...(args.length > 0 ? ['--arg'] : []),
    ...(headers.length > 0 ? ['--header'] : []),
    ...(transport === undefined ? [] : ['--transport']),
    ...(allowScripts.length > 0 ? ['--allow-scripts'] : []),
    ...(sha256 === undefined ? [] : ['--sha256']),
  ];
  if (given.length === 0) return;
  const verb = given.length === 1 ? 'is' : 'are';
  throw new AgentToolsError(
    'usage',
    `${joinNames(given)} ${verb} for existing MCP servers, and ${reference} is a server of an extension. Give it variables with --env, and options of its tools with --tool-option.`,
  );
}

/** Keeps an author's key if the client accepts it. A key derived from a name suits every client. */
function keyFor(client: Client, { configKey, hasOwnKey }: ServerSpec): string {
  return hasOwnKey ? writtenKey(client, configKey) : deriveKey(configKey);
}

/** Servers of one extension with the same author's key are alternatives to each other. */
function alternativesKey({ extension, configKey, hasOwnKey }: ServerSpec): string | undefined {
  return hasOwnKey ? JSON.stringify([extension.origin, extension.name, configKey]) : undefined;
}

/** @throws AgentToolsError if a requirement is not met. */
async function requireRequirements(
  { client, candidate }: { readonly client: Client; readonly candidate: InstallableServer },
  request: InstallRequest,
  { surroundings }: InstallDeps,
): Promise<readonly string[]> {
  const { missing, warnings } = await checkRequirements(candidate.spec, {
    capabilities: client.capabilities,
    entryEnv: Object.fromEntries(request.variables.map(({ name, value }) => [name, value])),
    env: surroundings.env,
  });
  if (missing.length === 0) return warnings;
  throw new AgentToolsError(
    'refused',
    `${candidate.spec.qualifiedName} would not work in ${client.name}. ${missing.join(' ')}`,
  );
}
