import type { Diagnostic, ItemRef, Location, Severity } from '../../extension/diagnostics.js';
import type { Snapshot } from '../snapshot.js';

/** A diagnostic code, and what it stands for. */
export interface RuleRow {
  readonly code: string;
  readonly severity: Severity;
  /** What holds when there is nothing to report. */
  readonly summary: string;
}

/** What is checked. It reads a snapshot and yields; it opens no file, runs no code and throws nothing. */
export interface Rule extends RuleRow {
  check(snapshot: Snapshot): Iterable<Diagnostic>;
}

/** One thing found: where, and what its message is made of. */
interface Finding<Facts> {
  readonly location: Location;
  readonly item?: ItemRef;
  readonly facts: Facts;
  /** Where it is not as bad as the rule says. */
  readonly severity?: Severity;
}

/** Makes a rule of what is checked and how it is said. */
export function defineRule<Facts>({
  check,
  message,
  ...row
}: RuleRow & {
  check(snapshot: Snapshot): Iterable<Finding<Facts>>;
  message(facts: Facts): string;
}): Rule {
  return {
    ...row,
    *check(snapshot) {
      for (const { location, item, facts, severity = row.severity } of check(snapshot)) {
        yield { code: row.code, severity, message: message(facts), location, ...(item && { item }) };
      }
    },
  };
}
