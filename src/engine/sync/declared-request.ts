import type { InstallRequest } from '../installation/install-request.js';
import { readVariables } from '../installation/secrets.js';
import { fillNames, namesIn, type ServerDeclaration } from '../installation/server-declaration.js';
import type { NameValues } from './name-values.js';

type DeclaredPart = Omit<
  InstallRequest,
  'clients' | 'scope' | 'name' | 'verifyTimeoutMs' | 'force' | 'dryRun' | 'yes' | 'set'
>;

/** All texts of a declaration that may contain names. */
export function textsOf(declared: ServerDeclaration): readonly string[] {
  const { server, command = [], env = {}, args = [], headers = {}, toolOptions = [] } = declared;
  return [
    ...(server === undefined ? [] : [server]),
    ...command,
    ...Object.values(env),
    ...args,
    ...Object.values(headers),
    ...toolOptions,
  ];
}

/** Turns a declaration into the request that `install` would read from its options. */
export function declaredRequest(declared: ServerDeclaration, values: NameValues): DeclaredPart {
  const fill = (text: string) =>
    fillNames(text, (name, isWhole) => {
      const value = values.get(name)!;
      // Within a text, a reference to a stored secret has braces.
      return value === `secret:${name}` && !isWhole ? `{${value}}` : value;
    });
  const { server, command, env = {}, headers = {}, only, except, prefix, rename, catalog } = declared;
  const words = command?.map(fill);
  return {
    reference: words?.join(' ') ?? fill(server!),
    command: words,
    variables: Object.entries(env).flatMap(([name, text]) =>
      readVariables([`${name}=${fill(text)}`], {}).map((variable) => ({
        ...variable,
        isSecret: variable.isSecret || (namesIn(text).length > 0 && !variable.value.includes('secret:')),
      })),
    ),
    args: (declared.args ?? []).map(fill),
    headers: Object.entries(headers).map(([name, text]) => `${name}: ${fillHeader(text, fill)}`),
    transport: declared.transport,
    choices: {
      ...(only && { only }),
      ...(except && { except }),
      ...(prefix !== undefined && { prefix }),
      ...(rename && { rename }),
      ...(catalog && { toolList: 'catalog' as const }),
    },
    allowScripts: declared.allowScripts ?? [],
    requireProvenance: declared.requireProvenance ?? false,
    allowFindings: declared.allowFindings ?? [],
    sha256: declared.sha256,
    toolOptions: (declared.toolOptions ?? []).map(fill),
    apps: declared.apps,
    by: declared.run ?? 'node',
    cwd: declared.cwd,
    dev: declared.dev ?? false,
    frozen: declared.frozen ?? false,
    adapt: declared.adapt,
    sandbox: declared.sandbox ?? [],
  };
}

/** `Bearer secret:NAME` needs no braces. */
function fillHeader(text: string, fill: (text: string) => string): string {
  const [scheme = ''] = /^[A-Za-z][\w-]* (?=\$\{\w+\}$)/.exec(text) ?? [];
  return scheme + fill(text.slice(scheme.length));
}
