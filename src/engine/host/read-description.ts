import { type PlainData, type PlainFault, plainData, withFaults } from '../base/plain-data.js';
import { isRecord } from '../extension/definition-shapes.js';

/** More faults of one module are not kept. */
const maxModuleFaults = 1000;

/** Steps of the longest path; plain data is less deep. */
const maxPathSteps = 1000;

/**
 * Reads a description that a host has sent, as a `LoadCode` of the front returns it. Undefined if it has another form:
 * nothing that a host sends is trusted. Data beyond the budget of plain data is left out as a fault.
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
