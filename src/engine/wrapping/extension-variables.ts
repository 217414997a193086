import type { EndpointVariable } from './upstream-definition.js';
import type { WrappedServer } from './wrap-server.js';

/** A variable, and the first server that uses it. */
export interface ExtensionVariable extends EndpointVariable {
  /** Item name of the server. */
  readonly item: string;
}

/** Variables of all servers by name. A variable is required if one of the servers has no default for it. */
export function variablesOf(servers: readonly WrappedServer[]): readonly ExtensionVariable[] {
  const all = servers.flatMap(({ item, variables }) => variables.map((one) => ({ ...one, item })));
  return firstOfEachName(all).map((one) => {
    const isRequired = all.some(({ name, fallback }) => name === one.name && fallback === undefined);
    return isRequired ? { ...one, fallback: undefined } : one;
  });
}

/** The first of several values with the same name. */
export function firstOfEachName<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  return all.filter(({ name }, index) => all.findIndex((one) => one.name === name) === index);
}
