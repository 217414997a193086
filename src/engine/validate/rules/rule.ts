import type { Diagnostic, Fix, ItemRef, Location, Severity } from '../../extension/diagnostics.js';
import type { Snapshot } from '../snapshot.js';

/** A diagnostic code with its default severity and its rule in words. */
export interface RuleRow {
  readonly code: string;
  readonly severity: Severity;
  /** The rule as a sentence that is true without diagnostics. */
  readonly summary: string;
}

/** Yields diagnostics for a snapshot. Opens no file, runs no code and throws nothing. */
export interface Rule extends RuleRow {
  check(snapshot: Snapshot): Iterable<Diagnostic>;
}

/** A fault: its location, and the facts for its message. */
interface RuleFinding<Facts> {
  readonly location: Location;
  readonly item?: ItemRef;
  readonly facts: Facts;
  /** Set if the fault is less severe than the rule's default. */
  readonly severity?: Severity;
  readonly fix?: Fix | undefined;
}

/** Combines the check of a rule with its message. */
export function defineRule<Facts>({
  check,
  message,
  ...row
}: RuleRow & {
  check(snapshot: Snapshot): Iterable<RuleFinding<Facts>>;
  message(facts: Facts): string;
}): Rule {
  return {
    ...row,
    *check(snapshot) {
      for (const { location, item, facts, severity = row.severity, fix } of check(snapshot)) {
        const { code } = row;
        yield {
          code,
          severity,
          message: message(facts),
          location,
          ...(item && { item }),
          ...(fix && { fix }),
        };
      }
    },
  };
}
