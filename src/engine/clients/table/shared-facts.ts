import type { EntryContainer, FactSource, FileScope, InstallWarning, SyntaxTolerance } from '../client.js';

/** The day on which the table was last compared with its sources. */
export const checkedOn = '2026-11-21';

/** The container of most clients. */
export const mcpServers: EntryContainer = { path: ['mcpServers'], shape: 'map' };

/** What `JSON.parse` takes. A BOM counts as readable where nobody has seen the client fail on one. */
export const strict: SyntaxTolerance = { comments: false, trailingCommas: false, bom: true };

/** What `JSON.parse` takes of a text without a BOM. */
export const strictWithoutBom: SyntaxTolerance = { comments: false, trailingCommas: false, bom: false };

/** Everything, as in a syntax that has comments anyway. */
export const lenient: SyntaxTolerance = { comments: true, trailingCommas: true, bom: true };

/** Comments, and nothing else that JSON has not. */
export const commentsOnly: SyntaxTolerance = { comments: true, trailingCommas: false, bom: false };

/** Comments and trailing commas. */
export const withoutBom: SyntaxTolerance = { comments: true, trailingCommas: true, bom: false };

/** The vendor's own program was run, and the file looked at. */
export function ran(version: string): FactSource {
  return { what: 'file, entry, key, syntax', ref: `the vendor's own command line was run, ${version}` };
}

export const wolfram: FactSource = {
  what: 'file, entry',
  ref: 'https://github.com/WolframResearch/AgentTools docs/mcp-clients.md (3ea113a3, 2026-08-21)',
};

export const addMcp: FactSource = { what: 'file', ref: 'npm add-mcp 2.4.0' };

export const smithery: FactSource = { what: 'file', ref: 'npm @smithery/cli 4.11.1' };

export const matrix: FactSource = {
  what: 'capabilities',
  ref: 'https://github.com/modelcontextprotocol/modelcontextprotocol docs/clients.mdx (before 2026-05-27), extensions/client-matrix.mdx (b0f60ba5, 2026-08-22)',
};

export const uncheckedSource: FactSource = {
  what: 'file',
  ref: 'common knowledge, not confirmed by the vendor',
};

/** What a user must know of files whose place the vendor does not promise. */
export function warnUndocumented(client: string): InstallWarning {
  return { text: `The maker of ${client} does not document this file. Look whether the server shows up.` };
}

export function caution(scope: FileScope, text: string): InstallWarning {
  return { scope, text };
}
