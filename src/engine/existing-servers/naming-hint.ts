import { AgentToolsError, type ErrorCode } from '../base/errors.js';
import { isPublishedName } from '../extension/names.js';
import { readServerReference } from './server-reference.js';

/** Failures to find a server of an extension, or to install its package. */
const hintedCodes: readonly ErrorCode[] = ['not-found', 'not-installed', 'failed'];

/** Adds the ways to name an existing server to the failure to find a server of an extension. `codes`: codes of such failures. */
export function withExistingHint(error: unknown, text: string, codes = hintedCodes): unknown {
  if (!(error instanceof AgentToolsError) || !codes.includes(error.code)) return error;
  const reference = readServerReference(text);
  if (reference.kind !== 'name' || text.startsWith('@')) return error;
  const hint = hintFor(text);
  if (hint === undefined) return error;
  return new AgentToolsError(error.code, `${error.message} ${hint}`, {
    cause: error,
  });
}

/** `localhost:3000`, `mcp.example.com:8080/mcp` */
const hostWithPort = /^[\w.-]+:\d+(?:\/|$)/;

function hintFor(text: string): string | undefined {
  if (hostWithPort.test(text)) return `A remote server is named by its URL: http://${text}`;
  const [scope = '', name] = text.split('/');
  const isPackage = isPublishedName(name === undefined ? text : `@${scope}/${name}`);
  if (!isPackage || text.split('/').length > 2) return undefined;
  return name === undefined
    ? `An existing MCP server is named as npm:${text} for an npm package, pypi:${text} for a PyPI package.`
    : `An existing MCP server is named as npm:@${scope}/${name} for an npm package, docker:${text} for a container image; clone github:${text} for a repository.`;
}
