import { isRecord, isString } from '../base/value-checks.js';
import type { FileChange } from './file-change.js';
import type { FileRecord, Receipt, RecordBody, RecordedEdit } from './receipt.js';

/** True if data from a file is a change in the history. */
export function isFileChange(value: unknown): value is FileChange {
  return fits(changeShape)(value);
}

type ReceiptCheck = (value: unknown) => boolean;

/** True if data from a file is a record. Checks every field; ignores fields of later versions. */
export function isFileRecord(value: unknown): value is FileRecord {
  return fits(recordShape)(value);
}

const receiptShape = {
  client: isString,
  scope: checkWord('user', 'project', 'config'),
  file: isString,
  key: isString,
  server: isString,
  existing: optionalField((value) => typeof value === 'boolean'),
  kind: optionalField(isString),
  serverVersion: optionalField(isString),
  allowedScripts: optionalField(checkList(isString)),
  folder: optionalField(isString),
  family: optionalField(isString),
  reference: isString,
  argument: isString,
  declared: optionalField(isRecord),
  set: optionalField(isString),
  variables: checkList(isString),
  entry: isRecord,
  additions: optionalField(checkList(fits({ list: checkList(isString), item: isRecord }))),
  template: optionalField(isString),
  version: isString,
  time: isString,
  replaced: optionalField(isRecord),
  displaced: optionalField(checkList(isReceipt)),
  project: optionalField(isString),
  format: checkFormat,
  container: checkContainer,
} satisfies Record<keyof Receipt, ReceiptCheck>;

const spliceCheck = fits({ offset: Number.isSafeInteger, removed: isString, inserted: isString });

const stepShape = {
  slot: isString,
  splice: spliceCheck,
  beforeHash: nullableField(isString),
  afterHash: isString,
} satisfies Record<keyof RecordedEdit, ReceiptCheck>;

const bodyShape = {
  version: (value) => value === 1,
  realFile: isString,
  receipts: checkList(isReceipt),
  steps: checkList(fits(stepShape)),
  made: checkList(isString),
  madeFolder: optionalField(isString),
} satisfies Record<keyof RecordBody, ReceiptCheck>;

const recordShape = {
  ...bodyShape,
  intent: optionalField(
    fits({
      beforeHash: nullableField(isString),
      hash: nullableField(isString),
      record: fits(bodyShape),
      change: optionalField(isString),
    }),
  ),
} satisfies Record<keyof FileRecord, ReceiptCheck>;

const changeShape = {
  version: (value) => value === 1,
  command: isString,
  time: isString,
  file: isString,
  realFile: isString,
  outcome: isString,
  beforeHash: nullableField(isString),
  afterHash: nullableField(isString),
  splice: spliceCheck,
  receipts: checkListChange(isReceipt),
  steps: checkListChange(fits(stepShape)),
  made: checkListChange(isString),
  madeFolder: optionalField(isString),
  foreign: optionalField(
    fits({ place: fits({ format: checkFormat, container: checkContainer, key: isString }), entry: isRecord }),
  ),
  undoes: optionalField(isString),
} satisfies Record<keyof FileChange, ReceiptCheck>;

function checkListChange(item: ReceiptCheck): ReceiptCheck {
  return fits({
    at: Number.isSafeInteger,
    removed: checkList(item),
    inserted: checkList(item),
    rest: Number.isSafeInteger,
  });
}

function checkFormat(value: unknown): boolean {
  return checkWord('json', 'jsonc', 'toml', 'yaml')(value);
}

function checkContainer(value: unknown): boolean {
  return fits({ path: checkList(isString), shape: checkWord('map', 'list') })(value);
}

function isReceipt(value: unknown): boolean {
  return fits(receiptShape)(value);
}

function fits(shape: Readonly<Record<string, ReceiptCheck>>): ReceiptCheck {
  return (value) =>
    isRecord(value) && Object.entries(shape).every(([name, check]) => check(fieldOf(value, name)));
}

function fieldOf(value: unknown, name: string): unknown {
  return Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function checkList(check: ReceiptCheck): ReceiptCheck {
  return (value) => Array.isArray(value) && value.every(check);
}

function optionalField(check: ReceiptCheck): ReceiptCheck {
  return (value) => value === undefined || check(value);
}

function nullableField(check: ReceiptCheck): ReceiptCheck {
  return (value) => value === null || check(value);
}

function checkWord(...words: readonly string[]): ReceiptCheck {
  return (value) => words.some((word) => word === value);
}
