import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DocumentPath } from '../../base/files/document-path.js';
import { positionAt } from '../../base/files/json-text.js';
import { isRecord } from '../../base/value-checks.js';
import { shapes } from '../../extension/definition-shapes.js';
import type { ItemRef, Location } from '../../extension/diagnostics.js';
import type { Definition, Extension } from '../../extension/extension.js';
import { locate, touchesUnplain } from '../../runtime/read-definition.js';
import { readSchema } from '../../runtime/tool.js';
import { findAuthoredSchema } from '../../runtime/wire-item.js';
import { checkText, quotePlain } from '../../text-checks/check-text.js';
import type { TextSeverity } from '../../text-checks/hidden-characters.js';
import { checkItemTexts, excerptAt } from '../../text-checks/item-texts.js';

/** A fault of a text that models read. */
export interface TextSnapshot {
  readonly code: string;
  readonly message: string;
  readonly severity: TextSeverity;
  /** The text around the fault, with escapes for all unusual characters. */
  readonly excerpt: string;
  /** The whole text. */
  readonly text: string;
  readonly location: Location;
  readonly item?: ItemRef;
}

/** An item with texts to check. */
export interface CheckedItem {
  readonly ref: ItemRef;
  readonly definition?: Definition;
  /** The page of an app. */
  readonly page?: { readonly file: string };
}

interface TextSources {
  readonly extension: Extension;
  readonly items: readonly CheckedItem[];
  readonly skills: readonly { readonly name: string; readonly files: readonly string[] }[];
}

/** Checks all texts of an extension that models read: definitions, skills and the visible text of app pages. */
export async function gatherTexts({
  extension,
  items,
  skills,
}: TextSources): Promise<readonly TextSnapshot[]> {
  const { directory } = extension.manifest;
  const found = await Promise.all([
    ...items.map(itemTexts),
    ...items.map(async ({ page, ref }) =>
      page ? await fileTexts(directory, page.file, { item: ref, read: visibleText, codes: pageCodes }) : [],
    ),
    ...skills.flatMap(({ name, files }) =>
      files
        .filter((file) => /\.(?:md|txt)$/i.test(file))
        .map((file) => fileTexts(directory, file, { item: { kind: 'skill', name } })),
    ),
  ]);
  return found.flat();
}

async function itemTexts({ definition, ref }: CheckedItem): Promise<readonly TextSnapshot[]> {
  if (!definition) return [];
  const parts = [...seenValues(definition), ...(await compiledSchemas(definition))];
  const label = `the ${ref.kind} ${quotePlain(ref.name)}`;
  return parts.flatMap(([path, value]) =>
    [...checkItemTexts(value, { label, path })].map(({ path: at, isKey, ...fault }) => {
      const isWritten = Object.hasOwn(definition.value, at[0]!);
      const location = locate(definition, isWritten ? at : []);
      return { ...fault, location: { ...location, ...(isKey && { key: true }) }, item: ref };
    }),
  );
}

/** Values of a definition that models read, as plain data, with their paths. */
function seenValues(definition: Definition): [DocumentPath, unknown][] {
  const shape = shapes[definition.kind];
  return Object.entries(definition.value).flatMap(([key, value]): [DocumentPath, unknown][] => {
    const isListed = !(Object.hasOwn(shape, key) && shape[key]!.unseen);
    // Suggestions reach the model through clients.
    const isSeen = !key.startsWith('x-') && (isListed || key === 'complete');
    return isSeen && !isLive(definition, key) ? [[[key], value]] : [];
  });
}

/** True if a value has no plain form, such as a Zod schema. */
function isLive(definition: Definition, key: string): boolean {
  const value = definition.value[key];
  return (isRecord(value) && Object.hasOwn(value, '@@')) || touchesUnplain(definition, [key]);
}

/** Compiled schemas of definitions in code, such as Zod schemas. */
async function compiledSchemas(definition: Definition): Promise<[DocumentPath, unknown][]> {
  if (definition.kind !== 'tools') return [];
  const found: [DocumentPath, unknown][] = [];
  for (const side of ['input', 'output'] as const) {
    const { key } = findAuthoredSchema(definition.value, side) ?? {};
    if (key === undefined || !isLive(definition, key)) continue;
    const compiled = await readSchema(definition, side).catch(() => undefined);
    if (compiled) found.push([[key], compiled.wire]);
  }
  return found;
}

/** Codes for the visible text of pages. The others are usual in pages. */
const pageCodes = new Set([
  'text/tag-characters',
  'text/hidden-bytes',
  'text/bidi-controls',
  'text/invisible-characters',
  'text/control-characters',
  'text/override-instructions',
  'text/concealment',
]);

/** Larger files are not checked: they are no texts for models. */
const maxFileBytes = 4 * 1024 * 1024;

interface FileToCheck {
  readonly item: ItemRef;
  /** Default: all codes. */
  readonly codes?: ReadonlySet<string>;
  /** Leaves only the text that readers see. Keeps all positions. */
  readonly read?: (text: string) => string;
}

async function fileTexts(
  directory: string,
  file: string,
  { item, codes, read = (text) => text }: FileToCheck,
): Promise<readonly TextSnapshot[]> {
  const target = path.join(directory, file);
  const info = await stat(target).catch(() => undefined);
  if (!info?.isFile() || info.size > maxFileBytes) return [];
  const text = await readFile(target, 'utf8').catch(() => '');
  const faults = checkText(read(text)).filter(({ code }) => codes?.has(code) ?? true);
  return faults.map(({ code, severity, fault, index }) => ({
    code,
    severity,
    message: `${file} has ${fault}.`,
    excerpt: excerptAt(text, index),
    text,
    location: { file, position: positionAt(text, index) },
    item,
  }));
}

/** A page without its scripts, styles and comments, which models do not read. */
function visibleText(page: string): string {
  return page.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->/gi, (hidden) =>
    hidden.replace(/[^\n]/g, '.'),
  );
}
