/** The client capabilities that MCP knows, nested ones with dots. Clients may have others. */
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

/** Whether MCP knows a capability, or leaves its name to others. */
export function isKnownCapability(name: string): boolean {
  return capabilities.some((known) => known === name) || /^(?:extensions|experimental)\../.test(name);
}

/** The keys that lead to a capability in what a client declares. What others name may have dots of its own. */
export function capabilityPath(name: string): readonly string[] {
  const [, kind, others] = /^(extensions|experimental)\.(.+)$/s.exec(name) ?? [];
  return kind !== undefined && others !== undefined ? [kind, others] : name.split('.');
}
