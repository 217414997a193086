/** Client capabilities that MCP defines, nested ones with dots. Clients may have others. */
export const capabilities = [
  'elicitation',
  'elicitation.form',
  'elicitation.url',
  'sampling',
  'sampling.tools',
  'sampling.context',
  'roots',
  'roots.listChanged',
  'tasks',
  'tasks.list',
  'tasks.cancel',
  'tasks.requests',
  'tasks.requests.elicitation',
  'tasks.requests.elicitation.create',
  'tasks.requests.sampling',
  'tasks.requests.sampling.createMessage',
  'extensions',
  'experimental',
] as const;

/** A client capability; editors suggest the known ones. */
export type Capability = (typeof capabilities)[number] | (string & {});

/** True if MCP defines a capability, or if it belongs to `extensions` or `experimental`. */
export function isKnownCapability(name: string): boolean {
  return capabilities.some((known) => known === name) || /^(?:extensions|experimental)\../.test(name);
}

/** Path of a capability in a client's declaration. Names below `extensions` and `experimental` may contain dots. */
export function capabilityPath(name: string): readonly string[] {
  const [, kind, others] = /^(extensions|experimental)\.(.+)$/s.exec(name) ?? [];
  return kind !== undefined && others !== undefined ? [kind, others] : name.split('.');
}
