import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { AgentToolsError } from '../errors.js';
import { DocumentError, parseDocument } from '../files/document.js';

/** A definition that was written down somewhere, and what its paths are relative to. */
interface WrittenDefinition {
  readonly definition: unknown;
  readonly directory: string;
}

/** Reads the definition of a server: `.json` strictly, anything else with comments. @throws AgentToolsError */
export async function readServerFile(file: string): Promise<WrittenDefinition> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === 'ENOENT' ? 'There is no file' : `${error.code}: cannot read the file`;
    throw new AgentToolsError('not-found', `${problem} ${file}.`);
  });
  return await parseServerText(text, { file, directory: path.dirname(file) });
}

/** The same of a text. @throws AgentToolsError */
export async function parseServerText(
  text: string,
  { file, directory }: { readonly file: string; readonly directory: string },
): Promise<WrittenDefinition> {
  try {
    return { definition: await parseDocument(text, file), directory };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { positionAt } = await import('../files/json-text.js');
    const { line, column } = positionAt(text, error.offset ?? 0);
    throw new AgentToolsError('malformed-document', `${file}:${line}:${column}: ${error.message}`);
  }
}
