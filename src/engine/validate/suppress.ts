import type { Diagnostic, Location } from '../extension/diagnostics.js';
import { toPointer } from '../schema/schema-issue.js';
import { covers, type DiagnosticPlace, type Suppression } from './rule-settings.js';

/** The result of suppressing some of the diagnostics. */
export interface Suppressed<Found, Rule extends Suppression> {
  readonly kept: readonly Found[];
  readonly suppressed: readonly { readonly diagnostic: Found; readonly by: Rule }[];
  /** Suppressions without a diagnostic. */
  readonly unused: readonly Rule[];
}

/** Separates the diagnostics that suppressions cover. The first that covers one counts. */
export function suppress<Found, Rule extends Suppression>(
  found: readonly Found[],
  suppressions: readonly Rule[],
  placeOf: (diagnostic: Found) => DiagnosticPlace,
): Suppressed<Found, Rule> {
  const matched = found.map((diagnostic) => {
    const place = placeOf(diagnostic);
    return { diagnostic, by: suppressions.find((one) => covers(one, place)) };
  });
  const used = new Set(matched.map(({ by }) => by));
  return {
    kept: matched.filter(({ by }) => !by).map(({ diagnostic }) => diagnostic),
    suppressed: matched.flatMap(({ diagnostic, by }) => (by ? [{ diagnostic, by }] : [])),
    unused: suppressions.filter((one) => !used.has(one)),
  };
}

/** The path in a data file as a JSON pointer; undefined for the whole file and for other files. */
export function pointerOf({ path }: Location): string | undefined {
  return path && path.length > 0 ? toPointer(path) : undefined;
}

/** Subject and place of a diagnostic that is not located yet. */
export function placeOf({ code, item, location }: Diagnostic): DiagnosticPlace {
  return { code, item, file: location.file, pointer: pointerOf(location) };
}

/** Options of a run that decide which diagnostics it can find. */
export interface RunScope {
  readonly load: boolean;
  readonly boots: boolean;
  /** Compares with the last release. */
  readonly compares: boolean;
  readonly hasClients: boolean;
  readonly hasBudget: boolean;
}

const foundByBooting = ['boot-failed', 'impure-stdout', 'slow-start', 'initialize-failed'];

/** True if a run could have found a diagnostic of the code, so that a suppression without one is unused. */
export function couldFind(code: string, { load, boots, compares, hasClients, hasBudget }: RunScope): boolean {
  if (!load) return false;
  if (foundByBooting.includes(code)) return boots;
  if (code === 'release-version') return compares;
  if (code === 'compat/token-budget') return hasBudget;
  return hasClients || !code.startsWith('compat/');
}

/** The message about a suppression without a diagnostic. */
export function unusedMessage({ code, item, path }: Suppression): string {
  const place = [item !== undefined && `the item "${item}"`, path !== undefined && path].filter(Boolean);
  return `The suppression of "${code}" at ${place.join(' in ')} silences nothing. Remove it.`;
}
