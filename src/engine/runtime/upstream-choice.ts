import { isRecord } from '../extension/definition-shapes.js';
import type { ToolChoice, UpstreamEntry } from './upstream.js';
import { isHiddenBy } from './wire-item.js';

type RawUpstreamEntry = Readonly<Record<string, unknown>>;

/** Which tools an entry takes, and what it calls them; the entry has passed `checkUpstreamEntry`. */
export function toToolChoice({ prefix, only, except, rename }: RawUpstreamEntry): ToolChoice {
  return {
    prefix: typeof prefix === 'string' ? prefix : '',
    only: Array.isArray(only) ? only.map(String) : undefined,
    except: Array.isArray(except) ? except.map(String) : [],
    rename: isRecord(rename) ? (rename as Readonly<Record<string, string>>) : {},
  };
}

/** What a tool is called here; undefined: it is not taken. */
export function chosenName({ prefix, only, except, rename }: ToolChoice, theirs: string): string | undefined {
  if (except.includes(theirs) || (only && !only.includes(theirs))) return undefined;
  return Object.hasOwn(rename, theirs) ? rename[theirs]! : prefix + theirs;
}

/** What an entry says of all the tools it takes. */
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
