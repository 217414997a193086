import type { FileRecord, Receipt, RecordBody, RecordedEdit } from './receipt.js';

type ReceiptCheck = (value: unknown) => boolean;

/** True if data from a file is a record. Checks every field; ignores fields of later versions. */
export function isFileRecord(value: unknown): value is FileRecord {
  return fits(recordShape)(value);
}

const isText: ReceiptCheck = (value) => typeof value === 'string';
const isMap: ReceiptCheck = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const receiptShape = {
  client: isText,
  scope: checkWord('user', 'project', 'config'),
  file: isText,
  key: isText,
  server: isText,
  family: optionalField(isText),
  reference: isText,
  argument: isText,
  variables: checkList(isText),
  entry: isMap,
  additions: optionalField(checkList(fits({ list: checkList(isText), item: isMap }))),
  template: optionalField(isText),
  version: isText,
  time: isText,
  replaced: optionalField(isMap),
  displaced: optionalField(checkList(isReceipt)),
  project: optionalField(isText),
  format: checkWord('json', 'jsonc', 'toml', 'yaml'),
  container: fits({ path: checkList(isText), shape: checkWord('map', 'list') }),
} satisfies Record<keyof Receipt, ReceiptCheck>;

const stepShape = {
  slot: isText,
  splice: fits({ offset: Number.isSafeInteger, removed: isText, inserted: isText }),
  beforeHash: nullableField(isText),
  afterHash: isText,
} satisfies Record<keyof RecordedEdit, ReceiptCheck>;

const bodyShape = {
  version: (value) => value === 1,
  realFile: isText,
  receipts: checkList(isReceipt),
  steps: checkList(fits(stepShape)),
  made: checkList(isText),
  madeFolder: optionalField(isText),
} satisfies Record<keyof RecordBody, ReceiptCheck>;

const recordShape = {
  ...bodyShape,
  intent: optionalField(
    fits({ beforeHash: nullableField(isText), hash: nullableField(isText), record: fits(bodyShape) }),
  ),
} satisfies Record<keyof FileRecord, ReceiptCheck>;

function isReceipt(value: unknown): boolean {
  return fits(receiptShape)(value);
}

function fits(shape: Readonly<Record<string, ReceiptCheck>>): ReceiptCheck {
  return (value) =>
    isMap(value) && Object.entries(shape).every(([name, check]) => check(fieldOf(value, name)));
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
