import { type PlainData, type PlainFault, plainData, withFaults } from '../base/plain-data.js';
import { isRecord } from '../base/value-checks.js';

/** Most faults per module. */
const maxModuleFaults = 1000;

/** Longest path in steps. Plain data is less deep. */
const maxPathSteps = 1000;

/**
 * Reads a description from a host, in the form that `LoadCode` returns in the front. Undefined for any other form: data
 * from a host is untrusted. Data beyond the budget of plain data becomes a fault.
 */
export function readDescription(sent: unknown): PlainData | undefined {
  if (!isRecord(sent) || !Array.isArray(sent.faults)) return undefined;
  const found = sent.faults.slice(0, maxModuleFaults);
  if (!found.every(isFault)) return undefined;
  const { value, faults } = plainData(sent.value);
  withFaults(value, found);
  return { value, faults: [...found, ...faults] };
}

function isFault(fault: unknown): fault is PlainFault {
  if (!isRecord(fault)) return false;
  const { path, what, lacksForm } = fault;
  const isPath = Array.isArray(path) && path.length <= maxPathSteps && path.every(isStep);
  return isPath && typeof what === 'string' && (lacksForm === undefined || lacksForm === true);
}

function isStep(step: unknown): boolean {
  return typeof step === 'string' || Number.isSafeInteger(step);
}
