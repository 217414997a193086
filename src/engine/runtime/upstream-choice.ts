import { isRecord } from '../base/value-checks.js';
import type { ToolChoice, UpstreamEntry } from './upstream.js';
import { isHiddenBy } from './wire-item.js';

type RawUpstreamEntry = Readonly<Record<string, unknown>>;

/** The tools of an entry, and their names. The entry has passed `checkUpstreamEntry`. */
export function toToolChoice({ prefix, only, except, rename }: RawUpstreamEntry): ToolChoice {
  return {
    prefix: typeof prefix === 'string' ? prefix : '',
    only: Array.isArray(only) ? only.map(String) : undefined,
    except: Array.isArray(except) ? except.map(String) : [],
    rename: isRecord(rename) ? (rename as Readonly<Record<string, string>>) : {},
  };
}

/** Name of an upstream tool on this server; undefined if the entry does not take the tool. */
export function chosenName({ prefix, only, except, rename }: ToolChoice, theirs: string): string | undefined {
  if (except.includes(theirs) || (only && !only.includes(theirs))) return undefined;
  return Object.hasOwn(rename, theirs) ? rename[theirs]! : prefix + theirs;
}

/** Overrides of an entry for all of its tools. */
export function sharedOverrides(entry: RawUpstreamEntry): UpstreamEntry['changes'] {
  const { category, timeoutMs, meta } = entry;
  const saysHidden = entry.hidden !== undefined || entry.visible !== undefined;
  return {
    ...(saysHidden && { hidden: isHiddenBy(entry, false) }),
    ...(category !== undefined && { category: category as string | null }),
    ...(typeof timeoutMs === 'number' && { timeoutMs }),
    ...(isRecord(meta) && { meta }),
  };
}
