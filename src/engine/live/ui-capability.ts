import type { ServerCapabilities } from '@modelcontextprotocol/server';
import { isRecord } from '../extension/definition-shapes.js';
import { appMimeType } from '../runtime/app.js';

/** The name of MCP Apps among extensions. @see MCP Apps 2026-01-26, "Client<>Server Capability Negotiation" */
const uiExtension = 'io.modelcontextprotocol/ui';

/** What a server says of itself to clients that show its UI. */
export const uiCapability: Pick<ServerCapabilities, 'extensions'> = {
  extensions: { [uiExtension]: { mimeTypes: [appMimeType] } },
};

/** Whether UI may be shown at all: `MCP_APPS_ENABLED=false` says no, whatever the client can do. */
export function allowsUi({ MCP_APPS_ENABLED }: Readonly<Record<string, string | undefined>>): boolean {
  return MCP_APPS_ENABLED?.trim().toLowerCase() !== 'false';
}

/** Whether a client shows UI. One that does not say which kinds of page it takes is taken to take ours. */
export function declaresUi(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const declared = isRecord(extensions) ? extensions[uiExtension] : undefined;
  if (!isRecord(declared)) return false;
  const { mimeTypes } = declared;
  if (mimeTypes === undefined) return true;
  return Array.isArray(mimeTypes) && mimeTypes.some(isAppMimeType);
}

/** MIME types are the same in capital letters, and with blanks or quotes around parameters. @see RFC 9110, 8.3.1 */
function isAppMimeType(value: unknown): boolean {
  return typeof value === 'string' && value.toLowerCase().replace(/[\s"]/g, '') === appMimeType;
}
