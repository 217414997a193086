import { AgentToolsError } from '../errors.js';
import { isRecord } from '../extension/shapes.js';
import { appMimeType } from '../items/app.js';
import type { Rendering } from './contract.js';
import { type AppCsp, contentSecurityPolicy } from './csp.js';

/**
 * An app as a host understands what `resources/read` answers.
 * @throws AgentToolsError `failed` if it is none
 * @see MCP Apps 2026-01-26, "UI Resource Format"
 */
export function readApp(uri: string, result: Readonly<Record<string, unknown>>): Omit<Rendering, 'frame'> {
  const contents = Array.isArray(result.contents) ? result.contents.filter(isRecord) : [];
  const content = contents.find((one) => one.uri === uri);
  if (!content)
    throw new AgentToolsError('failed', `The server answers ${uri} with contents of another URI, or none.`);
  if (content.mimeType !== appMimeType) {
    throw new AgentToolsError(
      'failed',
      `${uri} has the MIME type ${String(content.mimeType)}. Expected ${appMimeType}.`,
    );
  }
  const html = htmlOf(content);
  if (html === undefined) throw new AgentToolsError('failed', `${uri} has neither text nor blob.`);
  const meta = isRecord(content._meta) && isRecord(content._meta.ui) ? content._meta.ui : {};
  const csp = isRecord(meta.csp) ? (meta.csp as AppCsp) : {};
  const { policy, refused } = contentSecurityPolicy(csp);
  return {
    uri,
    html,
    policy,
    refused,
    csp: csp as Rendering['csp'],
    permissions: grantedOf(meta.permissions),
    prefersBorder: meta.prefersBorder !== false,
  };
}

function htmlOf({ text, blob }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof text === 'string') return text;
  return typeof blob === 'string' ? Buffer.from(blob, 'base64').toString('utf8') : undefined;
}

const permissions = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;

function grantedOf(asked: unknown): Rendering['permissions'] {
  if (!isRecord(asked)) return {};
  return Object.fromEntries(permissions.filter((name) => isRecord(asked[name])).map((name) => [name, {}]));
}
