import { isRecord } from '../base/value-checks.js';
import { type ValueDifference, valuesBetween } from '../base/value-differences.js';
import { widenedSandboxes } from '../extension/declared-sandbox.js';
import { shapes } from '../extension/definition-shapes.js';
import type { Extension } from '../extension/extension.js';
import { type Kind, kinds } from '../extension/item-kinds.js';
import type { DefinitionShape } from '../extension/key-shape.js';
import { declaredEndpoints } from '../runtime/declared-endpoints.js';
import { describeExposures, readExposure } from '../runtime/upstream-exposure.js';
import { endpointLabel } from '../runtime/upstream-spec.js';
import { type ChangedFile, compare, findSameItem, type PackageComparison } from './compare-states.js';
import type { ChangedDependency } from './dependencies.js';
import { fingerprintExtension } from './fingerprint.js';
import { type ItemState, readItems } from './items.js';

/** Changes of another version of a package. */
export interface VersionDifference {
  readonly added: readonly ItemState[];
  readonly removed: readonly ItemState[];
  readonly changed: readonly ItemDifference[];
  /** Changed files that belong to no item. */
  readonly files: readonly ChangedFile[];
  /** Changes of its package.json, except the version and declarations. */
  readonly packageJson: readonly ValueDifference[];
  /** Changed dependencies. */
  readonly dependencies: readonly ChangedDependency[];
  /** Sentences about variables that upstream servers would newly get, and about their hosts. */
  readonly exposures: readonly string[];
  /** Sentences about permissions that servers would newly get in their sandboxes. */
  readonly permissions: readonly string[];
  /** Sentences about another publisher, or another or a missing provenance. */
  readonly origin?: readonly string[];
  /** Previous and new source of the package, if they differ. */
  readonly source?: { readonly before: string; readonly after: string };
}

/** Changes of one item. */
export interface ItemDifference {
  readonly kind: Kind;
  readonly name: string;
  readonly values: readonly ValueDifference[];
  /** Changed files of the item: code, handlers, contents. */
  readonly files: readonly string[];
  /**
   * Reason why changes may be unknown: the definition, or the text of a prompt, comes from code that was not
   * run.
   */
  readonly unread: false | 'definition' | 'text';
  /** Reason why the item would now be skipped. */
  readonly problem?: string;
}

export interface DifferenceOptions {
  /** True if code definitions are loaded with the functions that the extensions were opened with. */
  readonly load: boolean;
  /** Changed dependencies of the package. */
  readonly dependencies: readonly ChangedDependency[];
}

/** Compares two versions of an extension, value by value. `before` is undefined if it cannot be read. */
export async function comparePackages(
  before: Extension | undefined,
  after: Extension,
  { load, dependencies }: DifferenceOptions,
): Promise<VersionDifference> {
  const nothing = { files: {}, items: [] };
  const comparison = compare(
    before ? await fingerprintExtension(before) : nothing,
    await fingerprintExtension(after),
  );
  const old = before ? await readItems(before, kinds, { load }) : [];
  const now = await readItems(after, kinds, { load });
  const packageJson = before ? packageJsonDifference(before, after) : [];
  const isOtherCode = [...dependencies, ...packageJson].length > 0 || mayChangeCode(comparison);
  const changed = now.flatMap((item) => {
    const was = findSameItem(old, item);
    if (!was) return [];
    const found = comparison.changed.find(
      ({ after: one }) => one.kind === item.kind && one.name === item.name,
    );
    const isUnread = (was.isCode || item.isCode) && !load && (found !== undefined || isOtherCode);
    const unread = isUnread ? 'definition' : isOtherCode && isWritten(item) ? 'text' : false;
    return compareItem(was, item, {
      files: [...(found?.isRedefined && item.isCode ? [item.file!] : []), ...(found?.files ?? [])],
      unread,
    });
  });
  return {
    added: now.filter((item) => !findSameItem(old, item)),
    removed: old.filter((item) => !findSameItem(now, item)),
    changed,
    files: comparison.files,
    packageJson,
    dependencies,
    permissions: await widenedSandboxes(before, after),
    exposures: exposureSentences(now).filter((sentence) => !exposureSentences(old).includes(sentence)),
  };
}

/** Variables and hosts of the upstream servers that items declare. */
function exposureSentences(items: readonly ItemState[]): readonly string[] {
  const endpoints = items.flatMap(({ kind, value }) =>
    value ? [...declaredEndpoints({ kind, value })] : [],
  );
  return describeExposures(
    endpoints.flatMap(({ place }) =>
      isRecord(place) ? [{ name: endpointLabel(place), exposure: readExposure(place) }] : [],
    ),
  );
}

/** True if a function in a separate module generates the text of a prompt. */
function isWritten({ kind, uses }: ItemState): boolean {
  return kind === 'prompts' && uses.length > 0;
}

/** It affects how imports resolve, and code may read it. Declarations are compared as items. */
function packageJsonDifference(before: Extension, after: Extension): readonly ValueDifference[] {
  const [one, other] = [before, after].map(({ manifest }) => manifest.packageJson.value);
  return [...valuesBetween(one, other)].filter(
    ({ path: [key] }) => key !== 'version' && key !== 'agenttools',
  );
}

/** True if any changed file could change the results of code. `package.json` is compared by value instead. */
function mayChangeCode({ changed, files }: PackageComparison): boolean {
  const isNoCode = /\.(?:md|txt)$|^package\.json$/i;
  return files.some(({ file }) => !isNoCode.test(file)) || changed.some((item) => item.files.length > 0);
}

function compareItem(
  was: ItemState,
  item: ItemState,
  { files, unread }: Pick<ItemDifference, 'files' | 'unread'>,
): readonly ItemDifference[] {
  const { kind, name, problem } = item;
  const isComparable = was.value !== undefined && item.value !== undefined;
  const values = isComparable ? [...valuesBetween(was.value, item.value)] : [];
  const isLost = problem !== undefined && problem !== was.problem;
  const isFound = problem === undefined && was.problem !== undefined;
  if (values.length + files.length === 0 && unread === false && !isLost && !isFound) return [];
  return [{ kind, name, values, files, unread, ...(isLost && { problem }) }];
}

/** Kinds of items with files, or results of files, that clients see. */
const seenByFile: readonly Kind[] = ['prompts', 'resources', 'apps'];

/** True if a client, and so the model, may see a change. */
export function isVisibleToModel({
  added,
  removed,
  changed,
  dependencies,
  source,
}: VersionDifference): boolean {
  // Servers may list items of dependencies that are extensions.
  const isListed = dependencies.some(({ before, after }) => before?.isExtension || after?.isExtension);
  if (added.length + removed.length > 0 || source !== undefined || isListed) return true;
  return changed.some(isItemSeen);
}

/** True if the user must confirm an update: the model may see a change, or values, permissions or scripts change. */
export function needsConsent(difference: VersionDifference): boolean {
  return isVisibleToModel(difference) || widenings(difference).length > 0;
}

/** One sentence for each value, permission, publisher, build or install script that the present version does not have. */
export function widenings({
  exposures,
  permissions,
  origin = [],
  packageJson,
}: VersionDifference): readonly string[] {
  const haveScriptsChanged = packageJson.some(isInstallScript);
  return [
    ...exposures,
    ...permissions,
    ...origin,
    ...(haveScriptsChanged ? ['The install scripts have changed.'] : []),
  ];
}

/** AgentTools runs no install scripts; npm does, elsewhere. */
function isInstallScript({ path: [key, name], before, after }: ValueDifference): boolean {
  if (key !== 'scripts') return false;
  const names = name === undefined ? Object.keys({ ...Object(before), ...Object(after) }) : [String(name)];
  return names.some((one) => /^(?:pre|post)?install$|^prepare$/.test(one));
}

/** Items without a known change for the model, but with code that was not run. */
export function uninspectedItems({ changed }: VersionDifference): readonly ItemDifference[] {
  return changed.filter((item) => item.unread && !isItemSeen({ ...item, unread: false }));
}

/** True if a client may see a change of an item. */
function isItemSeen({ kind, values, files, unread, problem }: ItemDifference): boolean {
  if (unread !== false || problem !== undefined) return true;
  if (seenByFile.includes(kind) && files.length > 0) return true;
  const shape: DefinitionShape = shapes[kind];
  return values.some(({ path: [first] }) => {
    const key = String(first);
    return !(Object.hasOwn(shape, key) && shape[key]!.unseen) && !key.startsWith('x-');
  });
}
