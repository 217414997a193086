import { ToolError } from '../runtime/result-builders.js';
import type { UpstreamEndpoint, UpstreamSpec } from '../runtime/upstream.js';
import { permitsHost } from '../sandbox/permitted-hosts.js';
import type { Sandbox } from '../sandbox/sandbox.js';

/** True if the user has named the server. Others come from definitions. */
export function isNamed({ exposure }: UpstreamSpec): boolean {
  return exposure === undefined;
}

/** @throws ToolError if the definition gives the server a variable that the sandbox does not permit */
export function requirePermittedVariables({ exposure }: UpstreamSpec, { permissions }: Sandbox): void {
  const { variables = [] } = exposure ?? {};
  // Only definitions of the user can name secrets.
  const missing = variables.find((name) => !name.startsWith('secret:') && !permissions.env.includes(name));
  if (missing === undefined) return;
  throw new ToolError(
    `the sandbox does not permit the variable ${missing}. Permit it with "env" in the sandbox of the server, or with --allow-env ${missing}`,
  );
}

/** The front connects to URLs, outside of the sandbox. @throws ToolError if the sandbox does not permit the host */
export function requirePermittedHost(
  spec: UpstreamSpec,
  place: UpstreamEndpoint,
  { permissions }: Sandbox,
): void {
  if (!('url' in place) || isNamed(spec)) return;
  const { hostname, port, protocol, host } = new URL(place.url);
  const isPermitted = permitsHost(permissions.network, {
    host: hostname,
    port: Number(port || (protocol === 'http:' ? 80 : 443)),
  });
  if (isPermitted) return;
  throw new ToolError(
    `the sandbox does not permit the host ${host}. Permit it with "network" in the sandbox of the server, or with --allow-net ${host}`,
  );
}
