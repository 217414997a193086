import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '../base/value-checks.js';
import { appMimeType } from '../runtime/app.js';

/** Identifier of the MCP Apps extension. @see MCP Apps 2026-01-26, "Client<>Server Capability Negotiation" */
const uiExtension = 'io.modelcontextprotocol/ui';

/** Capability that a server declares to clients that show its UI. */
export const uiCapability: Pick<ServerCapabilities, 'extensions'> = {
  extensions: { [uiExtension]: { mimeTypes: [appMimeType] } },
};

/** False if `MCP_APPS_ENABLED=false` disables UI for all clients. */
export function allowsUi({ MCP_APPS_ENABLED }: Readonly<Record<string, string | undefined>>): boolean {
  return MCP_APPS_ENABLED?.trim().toLowerCase() !== 'false';
}

/** True if a client shows UI. A client that declares no MIME types is assumed to accept {@link appMimeType}. */
export function declaresUi(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const declared = isRecord(extensions) ? extensions[uiExtension] : undefined;
  if (!isRecord(declared)) return false;
  const { mimeTypes } = declared;
  if (mimeTypes === undefined) return true;
  return Array.isArray(mimeTypes) && mimeTypes.some(isAppMimeType);
}

/** True for the MIME type of app pages. Ignores case, and blanks or quotes around parameters. @see RFC 9110, 8.3.1 */
function isAppMimeType(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase().replace(/[\s"]/g, '') === appMimeType;
}
