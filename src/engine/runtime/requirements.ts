import { findProgram } from '../base/find-program.js';
import type { Context } from './context.js';
import type { Requirement, Requirements } from './specs.js';

/** Environment and client that requirements are checked against. */
export interface RequirementContext {
  /** True if the client has a capability. */
  readonly can: (capability: string) => boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The unmet requirements of an item. */
export interface Shortfall {
  readonly client: readonly string[];
  readonly env: readonly Requirement[];
  readonly bin: readonly Requirement[];
}

/** A requirement of an item is not met; the message names it. */
export class RequirementError extends Error {
  override readonly name: string = 'RequirementError';
}

/** Required client capabilities are missing. The response depends on the era. */
export class MissingCapabilityError extends RequirementError {
  override readonly name = 'MissingCapabilityError';
  readonly capabilities: readonly string[];

  constructor(text: string, capabilities: readonly string[]) {
    super(text);
    this.capabilities = capabilities;
  }
}

/** Checks that the requirements of an item are met. @throws RequirementError, MissingCapabilityError */
export async function requireMet(
  what: string,
  requires: Requirements,
  { context, env }: { readonly context: () => Context; readonly env: RequirementContext['env'] },
): Promise<void> {
  if (!needsAnything(requires)) return;
  const { can } = context();
  const shortfall = await findShortfall(requires, { can, env });
  const missing = describeShortfall(shortfall);
  if (missing === undefined) return;
  const text = `${what} needs ${missing}.`;
  if (shortfall.client.length === 0) throw new RequirementError(text);
  throw new MissingCapabilityError(text, shortfall.client);
}

function needsAnything({ client, env, bin }: Requirements): boolean {
  return client.length + env.length + bin.length > 0;
}

/** Finds the unmet requirements of an item. Suggested requirements count as met. */
export async function findShortfall(
  requires: Requirements,
  { can, env }: RequirementContext,
): Promise<Shortfall> {
  if (requires.level !== 'required') return { client: [], env: [], bin: [] };
  const programs = await Promise.all(requires.bin.map((need) => isAnyOnPath(need, env)));
  return {
    client: requires.client.filter((capability) => !can(capability)),
    env: requires.env.filter((need) => !alternatives(need).some((name) => env[name])),
    bin: requires.bin.filter((_, index) => !programs[index]),
  };
}

/** Describes unmet requirements; undefined if all are met. */
export function describeShortfall({ client, env, bin }: Shortfall): string | undefined {
  const parts = [
    ...client.map(describeCapability),
    ...env.map(describeVariable),
    ...bin.map(describeProgram),
  ];
  return parts.length > 0 ? parts.join(', and ') : undefined;
}

export function describeCapability(name: string): string {
  return `the client capability "${name}", which this client does not have`;
}

export function describeVariable(need: Requirement): string {
  const names = alternatives(need);
  if (names.length === 1) return `the environment variable ${names[0]}, which is not set`;
  return `one of the environment variables ${joinAlternatives(names)}, none of which is set`;
}

export function describeProgram(need: Requirement): string {
  const names = alternatives(need).map((name) => `"${name}"`);
  if (names.length === 1) return `the program ${names[0]}, which is not on the PATH`;
  return `one of the programs ${joinAlternatives(names)}, none of which is on the PATH`;
}

/** The names of a requirement. One of them suffices. */
export function alternatives(need: Requirement): readonly string[] {
  return typeof need === 'string' ? [need] : need;
}

/** Several names: `A, B or C`. */
function joinAlternatives(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

async function isAnyOnPath(need: Requirement, env: RequirementContext['env']): Promise<boolean> {
  const found = await Promise.all(alternatives(need).map((name) => findProgram(name, env)));
  return found.some((file) => file !== undefined);
}
