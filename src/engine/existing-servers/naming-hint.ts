import { AgentToolsError, type ErrorCode } from '../base/errors.js';
import { readServerReference } from './server-reference.js';

/** Failures to find a server of an extension, or to install its package. */
const hintedCodes: readonly ErrorCode[] = ['not-found', 'failed'];

/** Adds the ways to name an existing server to the failure to find a server of an extension. `codes`: codes of such failures. */
export function withExistingHint(error: unknown, text: string, codes = hintedCodes): unknown {
  if (!(error instanceof AgentToolsError) || !codes.includes(error.code)) return error;
  const reference = readServerReference(text);
  if (reference.kind !== 'name' || text.startsWith('@')) return error;
  const [scope = '', name] = text.split('/');
  const hint =
    name === undefined
      ? `npm:${text} for an npm package, pypi:${text} for a PyPI package`
      : `npm:@${scope}/${name} for an npm package, docker:${text} for a container image; clone github:${text} for a repository`;
  return new AgentToolsError(error.code, `${error.message} An existing MCP server is named as ${hint}.`, {
    cause: error,
  });
}
