import type { Location } from '../extension/diagnostics.js';
import { DefinitionError, type Extension } from '../extension/extension.js';
import { UnknownItemError } from '../extension/workspace.js';
import type { ComposedKind } from './list-entries.js';

/** An item that a server would have if it were in order. */
export interface SkippedItem {
  readonly kind: ComposedKind | 'skills';
  /** As the server names it. */
  readonly item: string;
  /** The tool that goes without this app, and works all the same. */
  readonly tool?: string;
  readonly message: string;
  readonly code: string;
  /** The package whose file the location is in. */
  readonly extension: Extension;
  readonly location: Location;
  /** The package that would have to be here; absent if that is not what is wrong. */
  readonly missingPackage?: string;
}

/** What a server goes without because of an error. What is no fault of a definition is thrown on. */
export function listSkipped(
  error: unknown,
  about: Pick<SkippedItem, 'kind' | 'item' | 'tool' | 'extension'>,
): SkippedItem {
  if (!(error instanceof DefinitionError)) throw error;
  const { message, code, location } = error;
  const missingPackage = error instanceof UnknownItemError ? error.missingPackage : undefined;
  return { ...about, message, code, location, ...(missingPackage !== undefined && { missingPackage }) };
}
