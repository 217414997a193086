import { isPlain } from './literal-secrets.js';
import type { EndpointVariable } from './upstream-definition.js';

/** Shorter values occur in other texts by chance. */
const shortest = 8;

/** Present values of variables that no file may contain. Words occur in other texts, too. */
export function secretValues(variables: readonly EndpointVariable[]): readonly string[] {
  const values = variables.flatMap(({ value }) => value ?? []);
  return [...new Set(values)].filter((value) => value.length >= shortest && !isPlain(value));
}

/** Text with `…` in the places of values. */
export function withoutValues(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]);
  return forms.reduce((rest, form) => rest.replaceAll(form, '…'), text);
}
