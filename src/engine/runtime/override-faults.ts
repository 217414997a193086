import { didYouMean } from '../base/did-you-mean.js';
import { isRecord } from '../base/value-checks.js';
import type { FixedValueFault } from '../schema/fixed-arguments.js';
import { type CompiledSchema, formatIssues } from '../schema/index.js';
import type { OverrideFault } from '../schema/parameter-override-faults.js';
import type { InputOverrides, ParameterOverride } from '../schema/parameter-overrides.js';

/** Arguments and options of an item that a server may fix or change. */
export interface AcceptedArguments {
  /** Of a tool; undefined if its schema is unusable, which another check reports. */
  readonly input?: CompiledSchema | undefined;
  /** Names of the options of a tool. */
  readonly options?: readonly string[];
  /** Names of the arguments of a prompt. */
  readonly arguments?: readonly string[];
}

/** A fixed or changed value of an entry that the item does not accept. */
export interface EntryOverrideFault {
  /** Path in the entry. */
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

type RawOverride = Readonly<Record<string, unknown>>;

/** Finds fixed and changed values that have no effect or are invalid. Other checks report wrong types. */
export async function findFixFaults(
  entry: RawOverride,
  taken: AcceptedArguments,
): Promise<readonly EntryOverrideFault[]> {
  const { arguments: pinned, options } = entry;
  return [
    ...(taken.input ? await inputFaults(entry, taken.input) : []),
    ...(taken.arguments ? promptFaults(isRecord(pinned) ? pinned : {}, taken.arguments) : []),
    ...(taken.options && isRecord(options) ? optionFaults(options, taken.options) : []),
  ];
}

/** The fixed and changed arguments of an entry, without malformed parts. */
export function argumentOverrides({ arguments: pinned, parameters }: RawOverride): InputOverrides {
  const entries = Object.entries(isRecord(parameters) ? parameters : {});
  return {
    pinned: isRecord(pinned) ? pinned : {},
    parameters: Object.fromEntries(entries.map(([name, change]) => [name, wellFormed(change)])),
  };
}

function wellFormed(change: unknown): ParameterOverride {
  const { name, description, enum: values, hidden, default: standard } = isRecord(change) ? change : {};
  return {
    ...(typeof name === 'string' && { name }),
    ...(typeof description === 'string' && { description }),
    ...(Array.isArray(values) && { enum: values }),
    ...(hidden === true && { hidden }),
    ...(standard !== undefined && { default: standard }),
  };
}

/** Checks of arguments are loaded on demand, because few entries fix or change arguments. */
async function inputFaults(
  entry: RawOverride,
  input: CompiledSchema,
): Promise<readonly EntryOverrideFault[]> {
  const changes = argumentOverrides(entry);
  if (isRecord(entry.arguments)) {
    const { findPinFaults } = await import('../schema/fixed-arguments.js');
    const faults = await findPinFaults(input, changes.pinned);
    if (faults.length > 0) return faults.map(describePinFault);
  }
  if (Object.keys(changes.parameters).length === 0) return [];
  const { findChangeFaults } = await import('../schema/parameter-override-faults.js');
  return (await findChangeFaults(input, changes)).map((fault) => describeChangeFault(fault, changes));
}

function describePinFault(fault: FixedValueFault): EntryOverrideFault {
  if (fault.problem === 'together') {
    return { path: ['arguments'], reason: 'fixes arguments that the tool does not take together.' };
  }
  if (fault.problem === 'excessive') {
    const reason = `fixes arguments that cannot be removed from the schema of the tool: ${fault.reason}`;
    return { path: ['arguments'], reason };
  }
  const { name } = fault;
  const reason =
    fault.problem === 'unknown'
      ? `fixes ${unknownName('argument', name, fault.known, 'tool')}`
      : `fixes "${name}" to what it cannot be: ${formatIssues(fault.issues)}.`;
  return { path: ['arguments', name], reason };
}

type FaultMessages = {
  readonly [P in OverrideFault['problem']]: (fault: Extract<OverrideFault, { problem: P }>) => FaultMessage;
};

/** Message about a fault, and its key. */
interface FaultMessage {
  readonly at?: readonly (string | number)[];
  readonly reason: string;
}

/** Message for each kind of fault. */
const faultMessages: FaultMessages = {
  unknown: ({ name, known }) => ({ reason: `changes ${unknownName('argument', name, known, 'tool')}` }),
  fixed: ({ name }) => ({
    reason: `changes the argument "${name}", whose value it fixes under "arguments".`,
  }),
  unseen: ({ name, key }) => ({
    at: [key],
    reason: `hides the argument "${name}", so its "${key}" has no effect.`,
  }),
  needed: ({ name }) => ({
    at: ['hidden'],
    reason: `hides the argument "${name}", which is required and has no default. Give it a "default".`,
  }),
  'unusable-name': ({ name, called }) => ({
    at: ['name'],
    reason: `calls the argument "${name}" "${called}", which cannot be a name.`,
  }),
  'taken-name': ({ name, called, by }) => ({
    at: ['name'],
    reason: `calls the argument "${name}" "${called}", ${by === called ? 'which is another one' : `and "${by}" too`}.`,
  }),
  'bound-name': ({ name, reason }) => ({
    at: ['name'],
    reason: `calls the argument "${name}" otherwise, which its schema does not allow: ${reason}.`,
  }),
  'no-choice': ({ name }) => ({
    at: ['enum'],
    reason: `chooses among the values of "${name}", whose schema does not list any.`,
  }),
  'no-such-choice': ({ name, index, value, known }) => {
    const texts = known.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    const meant = typeof value === 'string' ? didYouMean(value, texts) : undefined;
    const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
    const reason = `leaves "${name}" the value ${JSON.stringify(value)}, which it does not have.${hint}`;
    const list = known.map((one) => JSON.stringify(one)).join(', ');
    return { at: ['enum', index], reason: `${reason} It has: ${list}.` };
  },
  'lost-default': ({ name, value, isOwn }) => ({
    at: [isOwn ? 'enum' : 'default'],
    reason: isOwn
      ? `leaves "${name}" values without its default ${JSON.stringify(value)}. Keep that, or give another "default".`
      : `gives "${name}" the default ${JSON.stringify(value)}, which is not one of the values that it leaves.`,
  }),
  'unfit-default': ({ name, issues }) => ({
    at: ['default'],
    reason: `gives "${name}" a default that it cannot be: ${formatIssues(issues)}.`,
  }),
  together: () => ({
    reason: 'hides or fixes arguments so that no call of the tool is valid.',
  }),
  excessive: ({ reason }) => ({
    reason: `changes arguments of a tool whose schema cannot be changed: ${reason}`,
  }),
};

function describeChangeFault(fault: OverrideFault, { parameters }: InputOverrides): EntryOverrideFault {
  const describe = faultMessages[fault.problem] as (fault: OverrideFault) => FaultMessage;
  const { at = [], reason } = describe(fault);
  if (!('name' in fault)) return { path: ['parameters'], reason };
  // A default of the tool itself is not written in the entry.
  const isThere = at[0] === undefined || Object.hasOwn(parameters[fault.name] ?? {}, at[0]);
  return { path: ['parameters', fault.name, ...(isThere ? at : [])], reason };
}

function promptFaults(pinned: RawOverride, known: readonly string[]): EntryOverrideFault[] {
  return Object.entries(pinned).flatMap(([name, value]) => {
    const path = ['arguments', name];
    if (!known.includes(name)) {
      return [{ path, reason: `fixes ${unknownName('argument', name, known, 'prompt')}` }];
    }
    if (['string', 'number', 'boolean'].includes(typeof value)) return [];
    return [{ path, reason: `fixes "${name}" to what it cannot be: the arguments of prompts are texts.` }];
  });
}

function optionFaults(options: RawOverride, known: readonly string[]): EntryOverrideFault[] {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  return unknown.map((name) => ({
    path: ['options', name],
    reason: `fixes ${unknownName('option', name, known, 'tool')}`,
  }));
}

function unknownName(what: string, name: string, known: readonly string[], owner: string): string {
  const meant = didYouMean(name, known);
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  return `the ${what} "${name}", which the ${owner} does not have.${hint} It has: ${known.join(', ') || 'none'}.`;
}
