import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { readTextFileSync, statFile } from '../base/files/disk.js';
import { DocumentError, readDocument } from '../base/files/document.js';
import type { DocumentPath, Position } from '../base/files/document-path.js';
import { positionAt, positionsIn } from '../base/files/json-text.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { isCaseFile } from '../extension/case-file-names.js';
import { fromPointer } from '../schema/schema-issue.js';
import { checkLazily } from '../schema/validator.js';
import { positionsInModule } from '../validate/module-positions.js';
import { caseItems, caseSchema } from './case-schema.js';
import type { CaseFault, LoadedCase, TestCase, TestCases } from './test-case.js';

/** Cases of a folder. */
export interface CaseCollection {
  /** Relative to the folder, with `/`. */
  readonly files: readonly string[];
  readonly cases: readonly LoadedCase[];
  readonly faults: readonly CaseFault[];
}

/** Reads all case files in a folder and below it, without installed and nested packages. */
export async function readCases(directory: string): Promise<CaseCollection> {
  const files = await findCaseFiles(directory);
  const read = await Promise.all(files.map(async (file) => await readCaseFile(directory, file)));
  return {
    files,
    cases: read.flatMap(({ cases }) => cases),
    faults: read.flatMap(({ faults }) => faults),
  };
}

async function findCaseFiles(directory: string, inside = ''): Promise<readonly string[]> {
  const entries = await readdir(path.join(directory, inside), { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(async (entry) => {
        const file = path.posix.join(inside, entry.name);
        if (!entry.isDirectory()) return isCaseFile(entry.name) ? [file] : [];
        if (entry.name === 'node_modules' || entry.name.startsWith('.')) return [];
        if (statFile(path.join(directory, file, 'package.json'))) return [];
        return await findCaseFiles(directory, file);
      }),
  );
  return found.flat();
}

interface ReadFile {
  readonly cases: readonly LoadedCase[];
  readonly faults: readonly CaseFault[];
}

type LocateCase = (path: DocumentPath, options?: { readonly key?: boolean }) => Position;

/** Reads one case file. Faults are data: other files run on. */
async function readCaseFile(directory: string, file: string): Promise<ReadFile> {
  const whole = path.join(directory, file);
  const failed = (message: string, position: Position = { line: 1, column: 1 }): ReadFile => ({
    cases: [],
    faults: [{ file, ...position, message }],
  });
  if (file.endsWith('.json')) {
    try {
      const { value, text } = await readDocument(whole, file);
      return await toCases(value, file, positionsIn(text));
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      const { message, offset } = error;
      return failed(message, offset === undefined ? undefined : positionAt(readTextFileSync(whole), offset));
    }
  }
  try {
    const { default: value } = await importFresh(whole);
    const find = /ts$/.test(file) ? undefined : positionsInModule(readTextFileSync(whole));
    return await toCases(value, file, (path) => find?.(path) ?? { line: 1, column: 1 });
  } catch (error) {
    const isUnknown = (error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION';
    const advice = `This Node does not run TypeScript. Use Node 22.18 or later, or write ${file.replace(/ts$/, 'js')}.`;
    return failed(isUnknown ? advice : `It could not be loaded: ${errorMessage(error)}`);
  }
}

/** Imports a module, again if it has changed since: `--watch` runs the new one. */
async function importFresh(file: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(file);
  url.searchParams.set('modified', String(statFile(file)?.mtimeMs));
  return (await import(url.href)) as Readonly<Record<string, unknown>>;
}

let check: ReturnType<typeof checkLazily> | undefined;

/** Checks the content of a file and splits it into cases. */
async function toCases(content: unknown, file: string, locate: LocateCase): Promise<ReadFile> {
  check ??= checkLazily(caseSchema, 'input');
  const checked = await check(withoutFunctions(content));
  const issues = checked.ok ? [] : checked.issues;
  const faults: CaseFault[] = [];
  /** Positions of cases with a fault in the list. */
  const faulty = new Set<unknown>();
  let isWhole = true;
  for (const { path: pointer, message } of issues) {
    const place = pathTo(pointer, content);
    const isKey = message.includes('is not a known name');
    const text = message.replace('The arguments', 'The file');
    faults.push({ file, ...locate(place, { key: isKey }), message: text });
    if (place[0] === 'cases' && place.length > 1) faulty.add(place[1]);
    else isWhole = false;
  }
  if (!isWhole) return { cases: [], faults };
  const { cases: list, $schema: _, ...defaults } = content as TestCases & { readonly $schema?: string };
  const stem = path.posix.basename(file).replace(/\.case\.\w+$/, '');
  const entries = list ?? [{}];
  const cases: LoadedCase[] = [];
  const names = new Set<string>();
  for (const [index, own] of entries.entries()) {
    if (faulty.has(index)) continue;
    const place = list ? ['cases', index] : [];
    const merged = withDefaults(defaults, own);
    const name = own.name ?? (list ? `${defaults.name ?? stem} ${index + 1}` : (defaults.name ?? stem));
    const position = locate(own.name === undefined ? place : [...place, 'name']);
    const fault = faultOf(merged) ?? (names.has(name) ? `Two cases have the name "${name}".` : undefined);
    names.add(name);
    if (fault === undefined) cases.push({ ...merged, name, place: { file, ...position } });
    else faults.push({ file, ...position, message: fault });
  }
  if (list && list.length === 0)
    faults.push({ file, ...locate(['cases']), message: 'The file has no cases.' });
  return { cases, faults };
}

/** The item of a case replaces the item of the defaults, and its expectations all expectations. */
function withDefaults(defaults: TestCase, own: TestCase): TestCase {
  const hasItem = caseItems.some((key) => own[key] !== undefined);
  const inherited = hasItem
    ? Object.fromEntries(Object.entries(defaults).filter(([key]) => !caseItems.includes(key as 'tool')))
    : defaults;
  return { ...inherited, ...own };
}

/** Rules that the schema cannot explain well. */
function faultOf(one: TestCase): string | undefined {
  const items = caseItems.filter((key) => one[key] !== undefined);
  if (items.length !== 1)
    return `A case needs one of ${caseItems.join(', ')}${items.length > 1 ? `, and this one has ${items.join(' and ')}` : ''}.`;
  const { complete, elicit = [], expect = {} } = one;
  if (complete && (complete.prompt === undefined) === (complete.resource === undefined))
    return '"complete" needs either "prompt" or "resource".';
  for (const answer of elicit)
    if (['accept', 'decline', 'cancel'].filter((key) => key in answer).length !== 1)
      return 'An answer in "elicit" needs one of accept, decline and cancel.';
  for (const expected of expect.notifications ?? [])
    if (Object.keys(expected).length !== 1)
      return 'An expected notification needs one of progress, log and changed.';
  if (one.options && one.tool === undefined) return '"options" is for tools.';
  return undefined;
}

/** The content without the functions `check`, which are not data. */
function withoutFunctions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFunctions);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, held]) =>
      key === 'check' && typeof held === 'function' ? [] : [[key, withoutFunctions(held)]],
    ),
  );
}

/** A JSON pointer as a path: indexes of arrays are numbers. */
function pathTo(pointer: string, value: unknown): DocumentPath {
  let current = value;
  return fromPointer(pointer).map((key) => {
    const step = Array.isArray(current) ? Number(key) : key;
    current = isRecord(current) || Array.isArray(current) ? (current as JsonHolder)[step] : undefined;
    return step;
  });
}

type JsonHolder = Readonly<Record<string | number, unknown>>;
