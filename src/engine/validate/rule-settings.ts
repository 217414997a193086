import type { DocumentPath } from '../base/files/document-path.js';
import { isRecord } from '../base/value-checks.js';
import type { ItemRef, Severity } from '../extension/diagnostics.js';

/** Severity by diagnostic code. */
export type Severities = Readonly<Record<string, Severity | 'off'>>;

/** Names of severities on the command line, in manifests and in the shared config. */
export const severityWords: Severities = {
  off: 'off',
  info: 'info',
  warn: 'warning',
  warning: 'warning',
  error: 'error',
};

/** Silences the diagnostics of one code at one item or place. */
export interface Suppression {
  readonly code: string;
  /** `forecast`, or with its kind: `tool/forecast`. Absent: any item. */
  readonly item?: string;
  /** A file, or a place in it: `agenttools/tools/forecast.json#/input/days`. Includes everything below. Absent: any place. */
  readonly path?: string;
  readonly reason: string;
  /** Path of the entry below `rules`. */
  readonly at: DocumentPath;
}

/** The value of `rules`: severities of codes, and suppressions. */
export interface RuleSettings {
  readonly severities: Severities;
  readonly suppressions: readonly Suppression[];
  /** All codes that the value names, with their paths below `rules`. */
  readonly codes: readonly { readonly code: string; readonly path: DocumentPath }[];
  /** Parts that have no effect, with their paths below `rules`. */
  readonly faults: readonly { readonly path: DocumentPath; readonly message: string }[];
}

const suppressionKeys = ['code', 'item', 'path', 'reason'];

/**
 * Reads `rules`: an object from code to severity, or a list of such objects and of suppressions. Later severities of a code
 * win. Skips invalid parts.
 */
export function readRuleSettings(value: unknown): RuleSettings {
  const severities: Record<string, Severity | 'off'> = {};
  const suppressions: Suppression[] = [];
  const codes: { code: string; path: DocumentPath }[] = [];
  const faults: { path: DocumentPath; message: string }[] = [];

  const takeSeverities = (map: Readonly<Record<string, unknown>>, at: DocumentPath) => {
    for (const [code, word] of Object.entries(map)) {
      const path = [...at, code];
      codes.push({ code, path });
      if (typeof word === 'string' && Object.hasOwn(severityWords, word))
        severities[code] = severityWords[word]!;
      else
        faults.push({
          path,
          message: `The rule "${code}" has no severity ${JSON.stringify(word)}. Severities: off, info, warn, error.`,
        });
    }
  };
  const takeSuppression = (entry: Readonly<Record<string, unknown>>, at: DocumentPath) => {
    const { code, item, path, reason } = entry;
    if (typeof code === 'string') codes.push({ code, path: [...at, 'code'] });
    const fault = suppressionFault(entry);
    if (fault) {
      faults.push({ path: [...at, ...fault.path], message: fault.message });
      return;
    }
    suppressions.push({
      code: code as string,
      ...(item !== undefined && { item: item as string }),
      ...(path !== undefined && { path: path as string }),
      reason: (reason as string).trim(),
      at,
    });
  };

  if (isRecord(value)) takeSeverities(value, []);
  else if (Array.isArray(value))
    for (const [index, entry] of value.entries()) {
      if (!isRecord(entry))
        faults.push({
          path: [index],
          message: `Entry ${index + 1} of "rules" is not an object. ${forms}`,
        });
      else if (Object.hasOwn(entry, 'code')) takeSuppression(entry, [index]);
      else if (Object.hasOwn(entry, 'reason') || Object.hasOwn(entry, 'item'))
        faults.push({ path: [index], message: 'A suppression needs the "code" of a diagnostic.' });
      else takeSeverities(entry, [index]);
    }
  else if (value !== undefined)
    faults.push({ path: [], message: `"rules" is neither an object nor a list. ${forms}` });
  return { severities, suppressions, codes, faults };
}

const forms =
  'Expected { "<code>": "warn" }, or a list that also holds { "code", "item", "reason" } to suppress a diagnostic.';

function suppressionFault(
  entry: Readonly<Record<string, unknown>>,
): { readonly path: DocumentPath; readonly message: string } | undefined {
  const { code, item, path, reason } = entry;
  for (const [key, value] of Object.entries({ code, item, path }))
    if (value !== undefined && (typeof value !== 'string' || value.trim() === ''))
      return { path: [key], message: `"${key}" of a suppression is not a text.` };
  const unknown = Object.keys(entry).find(
    (key) => !suppressionKeys.includes(key) && !key.startsWith('x-') && !key.startsWith('$'),
  );
  if (unknown !== undefined)
    return {
      path: [unknown],
      message: `A suppression has no key "${unknown}". Keys: ${suppressionKeys.join(', ')}.`,
    };
  if (typeof reason !== 'string' || reason.trim() === '')
    return {
      path: Object.hasOwn(entry, 'reason') ? ['reason'] : [],
      message: `The suppression of ${JSON.stringify(code)} has no reason. Add "reason": why the diagnostic does not apply.`,
    };
  if (item === undefined && path === undefined)
    return {
      path: [],
      message: `The suppression of ${JSON.stringify(code)} needs an "item" or a "path". To turn the code off everywhere, write { ${JSON.stringify(code)}: "off" }.`,
    };
  return undefined;
}

/** Subject and place of a diagnostic. */
export interface DiagnosticPlace {
  readonly code: string;
  readonly item?: ItemRef | undefined;
  /** Relative to the folder that paths of suppressions start from. */
  readonly file: string;
  readonly pointer?: string | undefined;
}

/** True if a suppression covers a diagnostic. */
export function covers(suppression: Suppression, { code, item, file, pointer }: DiagnosticPlace): boolean {
  if (suppression.code !== code) return false;
  if (suppression.item !== undefined && !namesItem(suppression.item, item)) return false;
  if (suppression.path === undefined) return true;
  const [named = '', below] = suppression.path.replaceAll('\\', '/').split('#');
  if (named.replace(/^\.\//, '') !== file) return false;
  return below === undefined || below === pointer || (pointer ?? '').startsWith(`${below}/`);
}

function namesItem(text: string, item: ItemRef | undefined): boolean {
  return item !== undefined && (text === item.name || text === `${item.kind}/${item.name}`);
}
