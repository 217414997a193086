import { AgentToolsError } from '../base/errors.js';
import { DocumentError, parseDocument } from '../base/files/document.js';
import type { DocumentPath, Position } from '../base/files/document-path.js';
import type { ConfigFormat } from '../clients/client.js';
import { ConfigError } from '../clients/edit/editor.js';
import { readConfigDocument } from '../clients/edit/entries.js';

/** Location of a value for messages: `server.json:3:5`. */
export type Locate = (path: DocumentPath) => string;

/** A parsed document, and the locations of its values. */
export interface LocatedDocument {
  readonly data: unknown;
  readonly locate: Locate;
}

/** Parses a strict JSON document. @throws AgentToolsError `malformed-document` with the position */
export async function parseLocated(text: string, label: string): Promise<LocatedDocument> {
  const { positionAt, positionsIn } = await import('../base/files/json-text.js');
  let positions: ReturnType<typeof positionsIn> | undefined;
  const locate: Locate = (path) => {
    positions ??= positionsIn(text);
    return formatPosition(label, positions(path));
  };
  try {
    return { data: await parseDocument(text, 'document.json'), locate };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const place = formatPosition(label, positionAt(text, error.offset ?? 0));
    throw new AgentToolsError('malformed-document', `${place}: ${error.message}`, { cause: error });
  }
}

/**
 * Parses a config file. JSON may have comments and trailing commas.
 * @throws AgentToolsError `malformed-document` with the position
 */
export async function parseConfig(
  text: string,
  format: ConfigFormat,
  label: string,
): Promise<LocatedDocument> {
  const { positionAt } = await import('../base/files/json-text.js');
  try {
    const data = await readConfigDocument(text, format);
    const positions = await configPositions(text, format);
    return { data, locate: (path) => formatPosition(label, positions(path)) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const place = error.offset === undefined ? label : formatPosition(label, positionAt(text, error.offset));
    throw new AgentToolsError('malformed-document', `${place}: ${error.message}`, { cause: error });
  }
}

/** Function that locates values in the text of a config file. */
async function configPositions(
  text: string,
  format: ConfigFormat,
): Promise<(path: DocumentPath) => Position> {
  const { positionAt, positionsIn } = await import('../base/files/json-text.js');
  if (format === 'json' || format === 'jsonc') {
    let positions: ReturnType<typeof positionsIn> | undefined;
    return (path) => {
      positions ??= positionsIn(text);
      return positions(path);
    };
  }
  const offsetOf = format === 'toml' ? await tomlOffsets(text) : await yamlOffsets(text);
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const offset = offsetOf(path.slice(0, length));
      if (offset !== undefined) return positionAt(text, offset);
    }
    return positionAt(text, 0);
  };
}

type OffsetOf = (path: DocumentPath) => number | undefined;

async function tomlOffsets(text: string): Promise<OffsetOf> {
  const { findTomlParts, readToml } = await import('../clients/edit/toml-source.js');
  const body = text.replace(/^\uFEFF/, '');
  const source = readToml(body);
  return (path) => {
    const [part] = findTomlParts(source, path);
    return part && part.start + text.length - body.length;
  };
}

async function yamlOffsets(text: string): Promise<OffsetOf> {
  const { default: yaml } = await import('yaml');
  const document = yaml.parseDocument(text, { uniqueKeys: false, logLevel: 'silent' });
  return (path) => {
    const node = document.getIn(path, true);
    return yaml.isNode(node) ? (node.range?.[0] ?? undefined) : undefined;
  };
}

function formatPosition(label: string, { line, column }: Position): string {
  return `${label}:${line}:${column}`;
}

/** Error about a value of a document. */
export function malformedAt(locate: Locate, path: DocumentPath, message: string): AgentToolsError {
  return new AgentToolsError('malformed-document', `${locate(path)}: ${message}`);
}
