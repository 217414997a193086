import { AgentToolsError } from '../base/errors.js';
import { isRecord } from '../base/value-checks.js';
import { appMimeType } from '../runtime/app.js';
import { type AppCsp, contentSecurityPolicy } from './csp.js';
import type { AppRendering } from './page-messages.js';

/**
 * Reads an app from a result of `resources/read`, as a host does.
 * @throws AgentToolsError `failed` if the result is not an app
 * @see MCP Apps 2026-01-26, "UI Resource Format"
 */
export function parseAppContents(
  uri: string,
  result: Readonly<Record<string, unknown>>,
): Omit<AppRendering, 'frame'> {
  const contents = Array.isArray(result.contents) ? result.contents.filter(isRecord) : [];
  const content = contents.find((one) => one.uri === uri);
  if (!content) throw new AgentToolsError('failed', `The server returned no contents with the URI ${uri}.`);
  if (content.mimeType !== appMimeType) {
    throw new AgentToolsError(
      'failed',
      `${uri} has the MIME type ${String(content.mimeType)}. Expected ${appMimeType}.`,
    );
  }
  const html = decodeHtml(content);
  if (html === undefined) throw new AgentToolsError('failed', `${uri} has neither text nor blob.`);
  const meta = isRecord(content._meta) && isRecord(content._meta.ui) ? content._meta.ui : {};
  const csp = isRecord(meta.csp) ? (meta.csp as AppCsp) : {};
  const { policy, refused } = contentSecurityPolicy(csp);
  return {
    uri,
    html,
    policy,
    refused,
    csp: csp as AppRendering['csp'],
    permissions: grantedPermissions(meta.permissions),
    prefersBorder: meta.prefersBorder !== false,
  };
}

function decodeHtml({ text, blob }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof text === 'string') return text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
}

const permissions = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;

function grantedPermissions(asked: unknown): AppRendering['permissions'] {
  if (!isRecord(asked)) return {};
  return Object.fromEntries(permissions.filter((name) => isRecord(asked[name])).map((name) => [name, {}]));
}
