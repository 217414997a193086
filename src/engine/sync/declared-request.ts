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
      const { text, source } = values.get(name)!;
      // Within a text, a reference to a stored secret has braces.
      return source === 'store' && !isWhole ? `{${text}}` : text;
    });
  const { server, command, env = {}, headers = {}, only, except, prefix, rename, catalog } = declared;
  const words = command?.map(fill);
  const filled = Object.entries(headers).map(([name, text]) => ({
    name,
    text,
    value: fillHeader(text, fill),
  }));
  const isNamed = ({ text }: { readonly text: string }) => {
    const names = namesIn(text);
    return names.length > 0 && names.every((name) => values.get(name)!.source === 'environment');
  };
  return {
    reference: words?.join(' ') ?? fill(server!),
    command: words,
    variables: Object.entries(env).flatMap(([name, text]) =>
      readVariables([`${name}=${fill(text)}`], {}).map((variable) => ({
        ...variable,
        // A literal text is plain: otherwise the set is refused.
        isSecret: namesIn(text).length > 0 && !variable.value.includes('secret:'),
      })),
    ),
    named: [
      ...Object.entries(env).map(([name, text]) => ({
        givenBy: 'env' as const,
        name,
        text,
        value: fill(text),
      })),
      ...filled.map((one) => ({ givenBy: 'header' as const, ...one })),
    ].filter(isNamed),
    args: (declared.args ?? []).map(fill),
    headers: filled.map(({ name, value }) => `${name}: ${value}`),
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
  const [scheme = ''] = /^[A-Za-z][\w-]* (?=\$\{(?:env:)?[\w.-]+\}$)/.exec(text) ?? [];
  return scheme + fill(text.slice(scheme.length));
}
