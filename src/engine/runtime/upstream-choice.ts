import { isRecord } from '../base/value-checks.js';
import { wantsConfirmation } from './confirm-call.js';
import type { ItemChoice, UpstreamEntry } from './upstream.js';
import { isHiddenBy } from './wire-item.js';

type RawUpstreamEntry = Readonly<Record<string, unknown>>;

/** The choices of an entry for each kind of items. The entry has passed `checkUpstreamEntry`. */
export function toChoices(
  entry: RawUpstreamEntry,
): Pick<UpstreamEntry, 'choice' | 'prompts' | 'resources' | 'apps'> {
  const ofKind = (written: unknown) =>
    written === false ? undefined : toItemChoice(isRecord(written) ? written : {});
  const { prompts, resources, apps } = entry;
  return {
    choice: toItemChoice(entry),
    prompts: ofKind(prompts),
    resources: ofKind(resources),
    apps: ofKind(apps),
  };
}

/** The chosen items of one kind, and their names. */
export function toItemChoice({ prefix, only, except, rename }: RawUpstreamEntry): ItemChoice {
  return {
    prefix: typeof prefix === 'string' ? prefix : '',
    only: Array.isArray(only) ? only.map(String) : undefined,
    except: Array.isArray(except) ? except.map(String) : [],
    rename: isRecord(rename) ? (rename as Readonly<Record<string, string>>) : {},
  };
}

/**
 * Name of an upstream item on this server; undefined if the entry does not take the item. `only` and `except` may
 * contain `uri` in place of the name.
 */
export function chosenName(
  { prefix, only, except, rename }: ItemChoice,
  theirs: string,
  uri: string = theirs,
): string | undefined {
  const isIn = (names: readonly string[]) => names.includes(theirs) || names.includes(uri);
  if (isIn(except) || (only && !isIn(only))) return undefined;
  return Object.hasOwn(rename, theirs) ? rename[theirs]! : prefix + theirs;
}

/** Names that a choice mentions, without duplicates. */
export function namesInChoice({ only, except, rename }: ItemChoice): readonly string[] {
  // Includes names in `except`: an excluded item may have been renamed, and would be served.
  return [...new Set([...(only ?? []), ...except, ...Object.keys(rename)])];
}

/** Overrides of an entry for all of its tools. */
export function sharedOverrides(entry: RawUpstreamEntry): UpstreamEntry['changes'] {
  const { category, timeoutMs, meta, confirm } = entry;
  const saysHidden = entry.hidden !== undefined || entry.visible !== undefined;
  return {
    ...(saysHidden && { hidden: isHiddenBy(entry, false) }),
    ...(category !== undefined && { category: category as string | null }),
    ...(typeof timeoutMs === 'number' && { timeoutMs }),
    ...(wantsConfirmation(confirm) && { isConfirmed: true }),
    ...(isRecord(meta) && { meta }),
  };
}
