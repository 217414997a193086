import { hasSecretReference } from '../base/secret-reference.js';
import { isString } from '../base/value-checks.js';
import { findSecretEnding, isSecret, isSecretHeader, splitAddress } from '../extension/upstream-secrets.js';
import { hideHeader, nameFor } from '../installation/declaration.js';
import { fillNames, namesIn, type ServerDeclaration } from '../installation/server-declaration.js';

/** Code by which a declaration allows a text that only looks like a secret. */
export const clearSecretCode = 'literal-secret';

/** A text of a declaration that looks like a secret. */
export interface ClearSecret {
  /** Steps from the declaration to the text. */
  readonly path: readonly (string | number)[];
  /** Subject of a sentence about it. */
  readonly what: string;
  /** Name for the secret. */
  readonly name: string;
}

/** Secrets in clear text, apart from names such as `${TOKEN}` and references to stored secrets. */
export function findClearSecrets(declared: ServerDeclaration): readonly ClearSecret[] {
  const { server = '', command = [], env = {}, args = [], headers = {}, toolOptions = [] } = declared;
  const inWords = (key: 'command' | 'args' | 'toolOptions', list: readonly string[]) =>
    list.map(literalOf).flatMap((word, index, words): ClearSecret[] => {
      const found = findInOption(word) ?? findSecretEnding(word, words[index - 1]);
      return found ? [clear([key, index], 'The argument', found.name || 'value')] : [];
    });
  const inAddress = splitAddress(literalOf(server)).flatMap((part) =>
    isString(part) || part.value === '' || hasSecretReference(part.value)
      ? []
      : [clear(['server'], 'The address', part.name || 'token')],
  );
  return [
    ...inAddress,
    ...inWords('command', command),
    ...Object.entries(env).flatMap(([name, text]) =>
      isClear(text, (literal) => isSecret(name, literal))
        ? [clear(['env', name], `The variable ${name}`, name)]
        : [],
    ),
    ...inWords('args', args),
    ...Object.entries(headers).flatMap(([name, text]) =>
      isClear(text, (literal) => isSecretHeader(name, literal))
        ? [clear(['headers', name], `The header ${name}`, namesIn(hideHeader(name, text))[0]!)]
        : [],
    ),
    ...inWords('toolOptions', toolOptions),
  ];
}

function clear(path: ClearSecret['path'], what: string, name: string): ClearSecret {
  return { path, what, name: namesIn(nameFor(name))[0]! };
}

/** `search.apiKey=…` */
function findInOption(word: string): { readonly name: string } | undefined {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(word) ?? [];
  return name !== undefined && value !== undefined && isSecret(name, value) ? { name } : undefined;
}

/** Beside a name, a text such as `Bearer ` may be plain under any name. */
function isClear(text: string, isSecretAlone: (literal: string) => boolean): boolean {
  const literal = literalOf(text);
  return namesIn(text).length > 0 ? isSecret('', literal) : isSecretAlone(literal);
}

function literalOf(text: string): string {
  return fillNames(text, () => '');
}
