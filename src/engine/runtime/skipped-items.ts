import type { Location } from '../extension/diagnostics.js';
import { DefinitionError, type Extension } from '../extension/extension.js';
import { UnknownItemError } from '../extension/workspace.js';
import type { ComposedKind } from './list-entries.js';

/** An item that a server skips because of a fault. */
export interface SkippedItem {
  readonly kind: ComposedKind | 'skills';
  /** The item as the server names it. */
  readonly item: string;
  /** The tool that names this app. The tool works without the app. */
  readonly tool?: string;
  readonly message: string;
  readonly code: string;
  /** The package that contains the file of `location`. */
  readonly extension: Extension;
  readonly location: Location;
  /** The missing package that contains the item; absent for other faults. */
  readonly missingPackage?: string;
}

/** The skipped item for an error. Throws an error that is not a fault of a definition. */
export function listSkipped(
  error: unknown,
  about: Pick<SkippedItem, 'kind' | 'item' | 'tool' | 'extension'>,
): SkippedItem {
  if (!(error instanceof DefinitionError)) throw error;
  const { message, code, location } = error;
  const missingPackage = error instanceof UnknownItemError ? error.missingPackage : undefined;
  return { ...about, message, code, location, ...(missingPackage !== undefined && { missingPackage }) };
}
