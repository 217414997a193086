import { AgentToolsError } from '../base/errors.js';
import { FileAccessError } from '../base/files/file-error.js';
import { positionAt } from '../base/files/json-text.js';
import { readTextFile } from '../base/files/text-file.js';
import { ConfigError } from '../clients/edit/editor.js';

/**
 * Converts a fault of a config file to an error that the user can act on. Returns any other error unchanged.
 */
export async function toUserError(error: unknown, file: string): Promise<unknown> {
  if (error instanceof FileAccessError)
    return new AgentToolsError('refused', error.message, { cause: error });
  if (!(error instanceof ConfigError)) return error;
  const place = error.offset === undefined ? file : `${file}:${await lineAndColumn(file, error.offset)}`;
  return new AgentToolsError('refused', `${place}: ${error.message} ${error.advice}`, { cause: error });
}

async function lineAndColumn(file: string, offset: number): Promise<string> {
  const { text } = await readTextFile(file);
  const { line, column } = positionAt(text ?? '', offset);
  return `${line}:${column}`;
}
