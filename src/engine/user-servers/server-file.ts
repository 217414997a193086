import path from 'node:path';
import { AgentToolsError } from '../base/errors.js';
import { rethrowAsUserError } from '../base/file-fault.js';
import { DocumentError, maxDocumentBytes, parseDocument } from '../base/files/document.js';
import { decodeText, readBytes, readTextFile } from '../base/files/text-file.js';

/** A definition from a file or stream, and the base folder of its paths. */
interface ServerFile {
  readonly definition: unknown;
  readonly directory: string;
}

/** Reads a server definition: `.json` strictly, any other file with comments. @throws AgentToolsError */
export async function readServerFile(file: string): Promise<ServerFile> {
  const { text } = await rethrowAsUserError(() => readTextFile(file, { maxBytes: maxDocumentBytes }));
  if (text === null) throw new AgentToolsError('not-found', `There is no file ${file}.`);
  return await parseServerText(text, { file, directory: path.dirname(file) });
}

/** Reads a server definition from a stream. Its paths are relative to `directory`. @throws AgentToolsError */
export async function readServerStream(
  stream: AsyncIterable<string | Buffer>,
  directory: string,
): Promise<ServerFile> {
  const file = 'stdin';
  const text = await rethrowAsUserError(async () =>
    decodeText(await readBytes(stream, file, maxDocumentBytes), file),
  );
  return await parseServerText(text, { file, directory });
}

async function parseServerText(
  text: string,
  { file, directory }: { readonly file: string; readonly directory: string },
): Promise<ServerFile> {
  try {
    return { definition: await parseDocument(text, file), directory };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { positionAt } = await import('../base/files/json-text.js');
    const { line, column } = positionAt(text, error.offset ?? 0);
    throw new AgentToolsError('malformed-document', `${file}:${line}:${column}: ${error.message}`);
  }
}
