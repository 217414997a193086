import path from 'node:path';
import { DocumentError, readDocument } from '../base/files/document.js';
import { isRecord } from '../base/value-checks.js';
import { visibleLine } from '../base/visible-text.js';
import { manifestField } from './manifest.js';

/**
 * The name of a package that is not an extension. Undefined for an extension, and for a package.json that cannot be read,
 * which is a fault to report.
 */
export async function plainPackage(directory: string): Promise<string | undefined> {
  const file = path.join(directory, 'package.json');
  const { value } = await readDocument(file, 'package.json').catch((error: unknown) => {
    if (error instanceof DocumentError) return { value: undefined };
    throw error;
  });
  if (!isRecord(value) || value[manifestField] !== undefined) return undefined;
  return visibleLine(typeof value.name === 'string' ? value.name : path.basename(directory));
}
