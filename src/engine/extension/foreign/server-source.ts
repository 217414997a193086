import { readFile } from 'node:fs/promises';

/** Imports of the libraries with which people write MCP servers in JavaScript. */
const serverImport =
  /\b(?:from|import|require)\s*\(?\s*['"](?:@modelcontextprotocol\/(?:sdk\/)?server(?:\/[^'"]*)?|fastmcp|mcp-use(?:\/[^'"]*)?)['"]/;

/**
 * The ways to use a module that is an MCP server itself, as sentences; empty for any other module.
 * Does not run the module. `file` is absolute, `relative` as in messages.
 */
export async function describeServerSource(file: string, relative: string): Promise<string> {
  const source = await readFile(file, 'utf8').catch(() => '');
  if (!serverImport.test(source)) return '';
  const starts = /\.(?:connect|start|listen)\(/.test(source);
  const program = starts ? relative : '<the file that starts it>';
  return `This module is an MCP server. To use it as it is: "agenttools validate -- node ${program}", or in a server definition "tools": [{ "upstream": { "command": "node", "args": ["${starts ? './' : ''}${program}"] } }]. To move its tools here, define each with "input" and "handler".`;
}
