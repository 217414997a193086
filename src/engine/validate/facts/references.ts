import { didYouMean } from '../../base/did-you-mean.js';
import type { DocumentPath } from '../../base/files/document-path.js';
import { isRecord } from '../../base/value-checks.js';
import type { Location } from '../../extension/diagnostics.js';
import { DefinitionError, type Extension } from '../../extension/extension.js';
import type { Kind } from '../../extension/item-kinds.js';
import { UnknownItemError, type Workspace } from '../../extension/workspace.js';

/** Scope in which names are resolved. */
export interface NameScope {
  readonly extension: Extension;
  readonly workspace: Workspace;
}

/** The reason why a name does not resolve. */
export interface UnresolvedReference {
  /** True if the name is of another package. */
  readonly isForeign: boolean;
  readonly reason: string;
}

/** The name of an app that does not resolve. */
export interface UnresolvedApp extends UnresolvedReference {
  readonly reference: string;
  readonly location: Location;
}

/** The reason why the name of an item does not resolve; undefined if it does. */
export async function findUnresolved(
  kind: Kind,
  reference: string,
  { extension, workspace, location }: NameScope & { readonly location: Location },
): Promise<UnresolvedReference | undefined> {
  try {
    await workspace.locateItem(kind, reference, extension, location);
    return undefined;
  } catch (error) {
    // An unreadable toolkit may have the item: this is reported for the toolkit.
    if (error instanceof DefinitionError && !(error instanceof UnknownItemError)) return undefined;
    if (!(error instanceof UnknownItemError)) throw error;
    if (error.foreign) return { isForeign: true, reason: error.message };
    const declared = (await extension.declared(kind)).map(({ name }) => name);
    const reason = `is neither declared nor built in.${suggestNames(reference, { what: kind, declared })}`;
    return { isForeign: false, reason };
  }
}

/** Lists the declared names, for a name that does not resolve. */
export function suggestNames(
  reference: string,
  { what, declared }: { readonly what: string; readonly declared: readonly string[] },
): string {
  const meant = didYouMean(reference.slice(reference.lastIndexOf('/') + 1), declared);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  return `${hint} Declared ${what}: ${declared.join(', ') || 'none'}.`;
}

/** The app that a tool, or an entry of a server's list, names under `ui`, if it does not resolve. */
export async function findUnresolvedApp(
  { ui }: Readonly<Record<string, unknown>>,
  place: (path: DocumentPath) => Location,
  scope: NameScope,
): Promise<UnresolvedApp | undefined> {
  const [path, reference] = isRecord(ui) ? [['ui', 'app'], ui.app] : [['ui'], ui];
  if (typeof reference !== 'string' || reference === '') return undefined;
  const location = place(path);
  const lost = await findUnresolved('apps', reference, { ...scope, location });
  return lost && { ...lost, reference, location };
}
