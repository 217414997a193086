import type { FileRecord, Receipt, RecordBody, Step } from './receipts.js';

type Check = (value: unknown) => boolean;

/** Whether data read from a file is a record, every field of it. Fields that a later version added are let be. */
export function isRecord(value: unknown): value is FileRecord {
  return fits(recordShape)(value);
}

const isText: Check = (value) => typeof value === 'string';
const isMap: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const receiptShape = {
  client: isText,
  scope: oneOf('user', 'project', 'config'),
  file: isText,
  key: isText,
  server: isText,
  family: optional(isText),
  reference: isText,
  argument: isText,
  variables: listOf(isText),
  entry: isMap,
  additions: optional(listOf(fits({ list: listOf(isText), item: isMap }))),
  template: optional(isText),
  version: isText,
  time: isText,
  replaced: optional(isMap),
  displaced: optional(listOf(isReceipt)),
  project: optional(isText),
  format: oneOf('json', 'jsonc', 'toml', 'yaml'),
  container: fits({ path: listOf(isText), shape: oneOf('map', 'list') }),
} satisfies Record<keyof Receipt, Check>;

const stepShape = {
  slot: isText,
  splice: fits({ offset: Number.isSafeInteger, removed: isText, inserted: isText }),
  beforeHash: nullable(isText),
  afterHash: isText,
} satisfies Record<keyof Step, Check>;

const bodyShape = {
  version: (value) => value === 1,
  realFile: isText,
  receipts: listOf(isReceipt),
  steps: listOf(fits(stepShape)),
  made: listOf(isText),
  madeFolder: optional(isText),
} satisfies Record<keyof RecordBody, Check>;

const recordShape = {
  ...bodyShape,
  intent: optional(fits({ beforeHash: nullable(isText), hash: nullable(isText), record: fits(bodyShape) })),
} satisfies Record<keyof FileRecord, Check>;

function isReceipt(value: unknown): boolean {
  return fits(receiptShape)(value);
}

function fits(shape: Readonly<Record<string, Check>>): Check {
  return (value) =>
    isMap(value) && Object.entries(shape).every(([name, check]) => check(fieldOf(value, name)));
}

function fieldOf(value: unknown, name: string): unknown {
  return Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function nullable(check: Check): Check {
  return (value) => value === null || check(value);
}

function oneOf(...words: readonly string[]): Check {
  return (value) => words.some((word) => word === value);
}
