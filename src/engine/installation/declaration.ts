import path from 'node:path';
import { looksSecret } from '../base/looks-secret.js';
import { isSecretName } from '../base/secret-reference.js';
import { readHeaders } from '../existing-servers/given-inputs.js';
import { shownWordList } from '../existing-servers/hide-secrets.js';
import { isSecretHeader } from '../extension/upstream-secrets.js';
import { isPathArgument } from '../extension/workspace.js';
import type { InstallDeps, InstallRequest } from './install-request.js';
import type { InstallSource } from './install-source.js';
import { escapeNames, type ServerDeclaration } from './server-declaration.js';

/** Declares the server of a request. Secrets become names in the form `${NAME}`. */
export function declarationOf(
  request: InstallRequest,
  { reference, argument }: Pick<InstallSource, 'reference' | 'argument'>,
  { workspace }: Pick<InstallDeps, 'workspace'>,
): ServerDeclaration {
  const { choices, variables, headers } = request;
  return withoutDefaults({
    ...(request.command
      ? { command: hideInWords(request.command) }
      : { server: withNames(isPathArgument(reference) ? argument : reference) }),
    env: Object.fromEntries(
      variables.map(({ name, value, isSecret }) => [
        name,
        isSecret ? nameFor(name) : storedName(escapeNames(value)),
      ]),
    ),
    args: request.args.map((word) => hideInPair(word)),
    headers: Object.fromEntries(
      readHeaders(headers).map(({ name, value }) => [
        name,
        isSecretHeader(name, value) ? hideHeader(name, value) : escapeNames(value),
      ]),
    ),
    transport: request.transport,
    toolOptions: request.toolOptions.map((word) => hideInPair(word)),
    only: choices.only,
    except: choices.except,
    prefix: choices.prefix,
    rename: choices.rename,
    catalog: choices.toolList === 'catalog',
    apps: request.apps === false ? false : undefined,
    cwd: request.cwd === undefined ? undefined : path.resolve(workspace.cwd, request.cwd),
    run: request.by === 'npx' ? request.by : undefined,
    dev: request.dev,
    frozen: request.frozen,
    adapt: request.adapt,
    sandbox: request.sandbox,
    allowScripts: request.allowScripts,
    allowFindings: request.allowFindings,
    requireProvenance: request.requireProvenance,
    sha256: request.sha256,
  });
}

/** Omits empty values, and `false` except for `apps`. */
function withoutDefaults(
  declaration: Readonly<Record<keyof Omit<ServerDeclaration, 'server' | 'command'>, unknown>>,
): ServerDeclaration {
  const isSet = (name: string, value: unknown): boolean => {
    if (value === undefined || (value === false && name !== 'apps')) return false;
    return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
  };
  return Object.fromEntries(Object.entries(declaration).filter(([name, value]) => isSet(name, value)));
}

/** Words of a command without secrets. */
export function hideInWords(words: readonly string[]): readonly string[] {
  return shownWordList(words.map(escapeNames)).map(withNames);
}

/** Hides a secret in `name=value`, or in a word. */
function hideInPair(word: string): string {
  const [, name = '', value = ''] = /^([\w.-]+)=(.*)$/s.exec(word) ?? [];
  if (name !== '')
    return `${name}=${looksSecret(name, value) ? nameFor(name) : storedName(escapeNames(value))}`;
  return looksSecret('', word) ? nameFor('value') : storedName(escapeNames(word));
}

/** `secret:NAME` as a name: on another machine, the value may come from elsewhere. */
export function storedName(value: string): string {
  const [, name] = /^secret:([A-Za-z_][\w.-]*)$/.exec(value) ?? [];
  return name === undefined ? value : `\${${name}}`;
}

/** Replaces the secret of a header; keeps its scheme. */
export function hideHeader(name: string, value: string): string {
  const [scheme = ''] = /^(?:Basic|Bearer|Token) /i.exec(value) ?? [];
  return `${scheme}${nameFor(/^authorization$/i.test(name) ? 'token' : name)}`;
}

/** Turns places of inputs, `{arg:token}`, into names. */
export function withNames(text: string): string {
  return text.replace(/\{arg:([\w.-]+)\}/g, (_, name: string) => nameFor(name));
}

/** `${API_KEY}` for `--api-key`. */
export function nameFor(text: string): string {
  const name = text.replace(/^\W+/, '').toUpperCase().replace(/\W+/g, '_').slice(0, 100);
  return `\${${isSecretName(name) ? name : `_${name}`}}`;
}
