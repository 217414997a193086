/** The part of a plain text that matches the syntax of a client's reference; undefined if no part does. */
export function findReference(text: string, reference: string | undefined): string | undefined {
  const opening = openings.find(({ isOf }) => reference !== undefined && isOf.test(reference));
  return opening && text.match(opening.literal)?.[0];
}

export function replacementNote(client: string, found: string, place: string): string {
  return `${client} will take "${found}" in ${place} for a reference, and replace it.`;
}

/** Reference syntax of clients, and the part of a plain value that matches it. */
const openings: readonly { readonly isOf: RegExp; readonly literal: RegExp }[] = [
  { isOf: /^\$\{/, literal: /\$\{[^}]*\}/ },
  { isOf: /^\{env:/, literal: /\{(?:env|file):[^}]*\}/ },
  { isOf: /^\$\w/, literal: /\$(?:\w+|[{(][^})]*[})])/ },
];
