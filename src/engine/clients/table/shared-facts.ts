import type { EntryContainer, FactSource, FileScope, InstallWarning, SyntaxTolerance } from '../client.js';

/** Date on which the table was last compared with its sources. */
export const checkedOn = '2026-11-21';

/** The container of most clients. */
export const mcpServers: EntryContainer = { path: ['mcpServers'], shape: 'map' };

/** Syntax that `JSON.parse` accepts. A BOM counts as readable unless the client is known to fail on one. */
export const strict: SyntaxTolerance = { comments: false, trailingCommas: false, bom: true };

/** Syntax that `JSON.parse` accepts, without a BOM. */
export const strictWithoutBom: SyntaxTolerance = { comments: false, trailingCommas: false, bom: false };

/** Accepts everything, as in a syntax that has comments anyway. */
export const lenient: SyntaxTolerance = { comments: true, trailingCommas: true, bom: true };

/** Comments, but no trailing commas and no BOM. */
export const commentsOnly: SyntaxTolerance = { comments: true, trailingCommas: false, bom: false };

/** Comments and trailing commas, but no BOM. */
export const withoutBom: SyntaxTolerance = { comments: true, trailingCommas: true, bom: false };

/** Checked with the vendor's program and the file that it writes. */
export function checkedWithVendor(version: string): FactSource {
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

/** Warning about files at a location that the vendor does not document. */
export function warnUndocumented(client: string): InstallWarning {
  return { text: `The maker of ${client} does not document this file. Check that the server appears.` };
}

export function installWarning(scope: FileScope, text: string): InstallWarning {
  return { scope, text };
}
