import { toVariableName } from '../base/variable-name.js';
import type { WritableClient } from '../clients/client.js';
import { joinFields } from '../clients/header-references.js';
import { findReference } from './find-reference.js';
import { fillNames, namesIn } from './server-declaration.js';

/** A variable or header with a value that comes from variables of the environment. */
export interface NamedText {
  readonly givenBy: 'env' | 'header';
  readonly name: string;
  /** With the names of the variables: `Bearer ${TOKEN}`. */
  readonly text: string;
  /** With their values. */
  readonly value: string;
}

/** The text that a variable has its value from. An entry through AgentTools gives a header by a variable, too. */
export function findNamed(
  { name, value }: { readonly name: string; readonly value: string },
  named: readonly NamedText[] = [],
): NamedText | undefined {
  return named.find(
    (one) =>
      one.value === value &&
      (one.givenBy === 'env' ? one.name === name : toVariableName(`MCP_${one.name}`) === name),
  );
}

type SecretReference = ReturnType<NonNullable<WritableClient['secretReference']>>;

/**
 * The reference of a client to the variables in a text. Undefined if the client has none: its entry cannot give a variable
 * another name, or part of a text.
 */
export function composeReference(
  { name, text }: Pick<NamedText, 'name' | 'text'>,
  {
    client,
    key,
  }: { readonly client: Pick<WritableClient, 'name' | 'secretReference'>; readonly key: string },
): SecretReference | undefined {
  const { secretReference } = client;
  // Not every client fills references to names with hyphens.
  if (!secretReference || namesIn(text).some((one) => !/^\w+$/.test(one))) return undefined;
  const written = new Map(namesIn(text).map((one) => [one, secretReference(one, key, client.name)]));
  const all = [...written.values()];
  const [first] = all;
  if (all.length === 1 && written.has(name) && fillNames(text, () => '') === '') return first;
  const literal = fillNames(text, () => '');
  if (all.some(({ value }) => value === undefined) || findReference(literal, first?.value) !== undefined)
    return undefined;
  return {
    value: fillNames(text, (one) => written.get(one)!.value!),
    fields: joinFields(all.map(({ fields = {} }) => fields)),
    additions: all.flatMap(({ additions = [] }) => additions),
    hint: [...new Set(all.map(({ hint }) => hint))].join(' '),
  };
}

/** The variable at the end of a text, and the text before it. Undefined if names are elsewhere. */
export function splitNamed(text: string): { readonly prefix: string; readonly variable: string } | undefined {
  const [variable, ...others] = namesIn(text);
  const parts = fillNames(text, () => '\0');
  if (variable === undefined || others.length > 0 || !parts.endsWith('\0')) return undefined;
  return { prefix: parts.slice(0, -1), variable };
}
