import { hasSecretReference } from '../base/secret-reference.js';
import type { Client } from '../clients/client.js';
import { schemeOf } from '../clients/header-references.js';
import { remoteShapeOf } from '../clients/table/remote-shapes.js';
import { isSecretHeader } from '../extension/upstream-secrets.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import { composeReference, type NamedText } from './named-text.js';
import type { ServerVariable } from './secrets.js';
import { storeSecret } from './store-secret.js';

/**
 * Asks the user at a terminal to keep given secrets in the secret store. Returns the request with references in place of the
 * stored values. Asks nothing if each client fills in references to the secrets itself.
 * @throws AgentToolsError if the store cannot be written
 */
export async function offerStore(
  request: InstallRequest,
  { user, secrets }: Pick<InstallDeps, 'user' | 'secrets'>,
): Promise<InstallRequest> {
  const { clients, dryRun, headers, name, named = [], reference, variables } = request;
  const isNeeded = clients.some((client) => holdsClearText(client, request));
  if (!user || dryRun || !isNeeded) return request;
  const isReference = (givenBy: NamedText['givenBy'], variable: string) =>
    named.some((one) => one.givenBy === givenBy && one.name === variable && isReferenceIn(clients, one));
  const names = [
    ...variables.filter((one) => isClearText(one) && !isReference('env', one.name)).map((one) => one.name),
    ...headers
      .flatMap((header) => secretHeader(header)?.name ?? [])
      .filter((one) => !isReference('header', one)),
  ];
  if (names.length === 0) return request;
  const question = `Keep ${names.join(', ')} in the secret store, not in the config file?`;
  if (!(await user.confirm(question, { preset: true }))) return request;
  const server = name ?? (typeof reference === 'string' ? reference : 'server');
  const keep = async (secret: string, value: string) =>
    `secret:${await storeSecret(secrets, { name: secret, server, value })}`;
  const stored: ServerVariable[] = [];
  for (const variable of variables)
    stored.push(
      isClearText(variable) && names.includes(variable.name)
        ? { ...variable, value: await keep(variable.name, variable.value), isSecret: false }
        : variable,
    );
  const kept: string[] = [];
  for (const header of headers) {
    const secret = secretHeader(header);
    kept.push(
      secret && names.includes(secret.name)
        ? `${secret.name}: ${secret.scheme}${await keep(`${server}_${secret.name}`, secret.value)}`
        : header,
    );
  }
  return { ...request, variables: stored, headers: kept };
}

/** True if the secret would be in clear text in the file, or could not be in it at all. */
function holdsClearText(client: Client, { scope }: Pick<InstallRequest, 'scope'>): boolean {
  return !client.manual && (scope.kind === 'user' || client.secretReference === undefined);
}

/** True if the entries of all clients get references to a variable of the environment. */
function isReferenceIn(clients: readonly Client[], { givenBy, name, text }: NamedText): boolean {
  return clients.every((client) => {
    if (client.manual) return true;
    if (givenBy === 'env') return composeReference({ name, text }, { client, key: 'key' }) !== undefined;
    return remoteShapeOf(client)?.headerReference !== undefined;
  });
}

/** True for a secret that is no reference. */
export function isClearText({ value, isSecret }: ServerVariable): boolean {
  return isSecret && !hasSecretReference(value) && !/^\$\{|^\{env:/.test(value);
}

/** A header with a secret in clear text: its value after the scheme. */
function secretHeader(
  header: string,
): { readonly name: string; readonly scheme: string; readonly value: string } | undefined {
  const [, name, text] = /^([^:]+):\s*(.*)$/s.exec(header) ?? [];
  if (name === undefined || text === undefined || !isSecretHeader(name, text)) return undefined;
  const scheme = schemeOf(name, text);
  return { name, scheme, value: text.slice(scheme.length) };
}
