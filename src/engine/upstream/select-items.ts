import { didYouMean } from '../base/did-you-mean.js';
import { isRecord } from '../base/value-checks.js';
import { lacksNamed, type NamedItem } from '../live/list-faults.js';
import type { Requirements } from '../runtime/specs.js';
import type { ItemChoice } from '../runtime/upstream.js';
import { namesInChoice } from '../runtime/upstream-choice.js';

/** Items of one kind that one entry selects from an upstream server, and the problems of others. */
export interface Selected<S> {
  readonly items: readonly S[];
  /** Problems, as ends of sentences about the upstream server. */
  readonly faults: readonly string[];
}

export const noRequirements: Requirements = { client: [], env: [], bin: [], level: 'required' };

/** Faults of names that a choice mentions and the upstream server does not have. */
export function missingNames(
  choice: ItemChoice,
  seen: ReadonlySet<string>,
  kind: NamedItem,
): readonly string[] {
  const missing = namesInChoice(choice).filter((name) => !seen.has(name));
  return missing.map((name) => lacksNamed(kind, name, didYouMean(name, seen)));
}

/** Returns the reason why clients would reject a list entry, from fields that several kinds share. */
export function commonFault(
  item: Readonly<Record<string, unknown>>,
  { texts, records }: { readonly texts: readonly string[]; readonly records: readonly string[] },
): string | undefined {
  const badText = texts.find((key) => item[key] !== undefined && typeof item[key] !== 'string');
  if (badText) return `its ${badText} is no text`;
  const badRecord = records.find((key) => item[key] !== undefined && !isRecord(item[key]));
  if (badRecord) return `its ${badRecord} is no object`;
  return item.icons === undefined || Array.isArray(item.icons) ? undefined : 'its icons are no list';
}
