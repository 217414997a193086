import { isRecord, isString } from '../base/value-checks.js';
import type { FileRecord, Receipt, RecordBody, RecordedEdit } from './receipt.js';

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
  variables: checkList(isString),
  entry: isRecord,
  additions: optionalField(checkList(fits({ list: checkList(isString), item: isRecord }))),
  template: optionalField(isString),
  version: isString,
  time: isString,
  replaced: optionalField(isRecord),
  displaced: optionalField(checkList(isReceipt)),
  project: optionalField(isString),
  format: checkWord('json', 'jsonc', 'toml', 'yaml'),
  container: fits({ path: checkList(isString), shape: checkWord('map', 'list') }),
} satisfies Record<keyof Receipt, ReceiptCheck>;

const stepShape = {
  slot: isString,
  splice: fits({ offset: Number.isSafeInteger, removed: isString, inserted: isString }),
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
    fits({ beforeHash: nullableField(isString), hash: nullableField(isString), record: fits(bodyShape) }),
  ),
} satisfies Record<keyof FileRecord, ReceiptCheck>;

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
