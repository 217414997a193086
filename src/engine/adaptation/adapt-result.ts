import { isRecord, type UnknownRecord } from '../base/value-checks.js';
import type { ListedTool } from '../compatibility/surface-checks.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { checkLazily } from '../schema/validator.js';
import type { AdaptationTarget } from './adaptation-target.js';
import { splitText } from './cut-text.js';
import type { KeptResults } from './kept-results.js';
import { describeNext, type RestReader, resultUri } from './read-result.js';
import { type ImageScaler, scaleImages } from './scale-images.js';
import { shrinkValue } from './shrink-value.js';

type Block = Readonly<Record<string, unknown>> & { readonly type?: unknown };

/** The answer to a call. */
export interface AnsweredCall {
  readonly tool: ListedTool;
  readonly result: UnknownRecord;
  /** Owner of the result, from the token of the request. */
  readonly owner: string;
}

interface ToolAnswer extends UnknownRecord {
  readonly content: readonly Block[];
}

export interface ResultSettings {
  readonly target: AdaptationTarget;
  readonly kept: KeptResults;
  /** Scales images. Absent: they pass whole. */
  readonly scale?: ImageScaler | undefined;
}

/** Brings a result into the form that a client can use. */
export async function adaptResult(
  { tool, result, owner }: AnsweredCall,
  { target, kept, scale }: ResultSettings,
): Promise<UnknownRecord> {
  const { content } = result;
  if (!Array.isArray(content)) return result;
  const sizes = target.limits.get('compat/result-size') ?? [];
  const whole = sizes.find(({ scope }) => scope?.counts === 'data');
  const scaled = whole && scale ? await scaleImages(content, whole.limit!, scale) : content;
  const answer = await withBothForms({ ...result, content: scaled }, tool, target);
  const size = sizes.find(({ scope }) => scope?.rest !== undefined);
  if (!size) return answer;
  const reader: RestReader = size.scope?.rest === 'resource' ? 'resource' : 'tool';
  return await cutResult(answer, { tool, owner, kept, limit: size.limit!, reader, target });
}

/** Adds the form that the client needs: text for structured content, or the other way round. */
async function withBothForms(
  answer: ToolAnswer,
  { outputSchema }: ListedTool,
  target: AdaptationTarget,
): Promise<ToolAnswer> {
  const { content, structuredContent, isError } = answer;
  const texts = textsOf(content);
  if (structuredContent !== undefined) {
    if (texts.length > 0 || !reads(target, 'text')) return answer;
    return { ...answer, content: [...content, { type: 'text', text: JSON.stringify(structuredContent) }] };
  }
  const needsStructure = target.limits.has('serve/output-schema') && isObjectSchema(outputSchema) && !isError;
  const value = needsStructure && texts.length === 1 ? parseJson(texts[0]!) : undefined;
  if (!isRecord(value) || !(await isValidFor(outputSchema as JsonSchema)(value))) return answer;
  return { ...answer, structuredContent: value };
}

interface Cut {
  readonly tool: ListedTool;
  readonly owner: string;
  readonly kept: KeptResults;
  /** Most characters that the client reads. */
  readonly limit: number;
  readonly reader: RestReader;
  readonly target: AdaptationTarget;
}

/** Share of the limit for the text: clients may escape it, and a line about the rest follows. */
const shareOfText = 0.8;

/** Cuts a result that is too long, and keeps its rest. */
async function cutResult(answer: ToolAnswer, cut: Cut): Promise<UnknownRecord> {
  const { content, structuredContent, ...others } = answer;
  const { tool, owner, kept, limit, reader, target } = cut;
  const text = textsOf(content).join('\n');
  const json = structuredContent === undefined ? undefined : JSON.stringify(structuredContent);
  const readsStructure = json !== undefined && reads(target, 'structure');
  const shown = readsStructure ? json : text;
  if (shown.length <= limit) return answer;
  const pageLength = Math.floor(limit * shareOfText);
  const isJson = json !== undefined && isSameJson(text, json);
  // A client that reads structured content in place of text gets its facts as text.
  const whole = readsStructure && !isJson ? [text, json].filter(Boolean).join('\n\n') : text;
  const pages = splitText(whole, pageLength);
  const mimeType = parseJson(whole) === undefined ? 'text/plain' : 'application/json';
  const id = kept.keep({ owner, pages, mimeType });
  const structure = readsStructure
    ? undefined
    : await shrunkStructure(structuredContent, tool.outputSchema, pageLength);
  const isShrunk = isJson && structure !== undefined && structure !== structuredContent;
  const first = isShrunk ? JSON.stringify(structure) : pages[0]!;
  const rest =
    id === undefined
      ? 'The rest is too long to keep'
      : `For ${isShrunk ? 'the whole result' : 'the rest'}, ${describeNext({ id, page: isShrunk ? 1 : 2, reader })}`;
  const note = `[${first.length.toLocaleString('en-US')} of ${whole.length.toLocaleString('en-US')} characters. ${rest}.]`;
  return {
    ...others,
    content: [
      ...withText(content, `${first}\n${note}`),
      ...(id !== undefined && reader === 'resource'
        ? [
            {
              type: 'resource_link',
              uri: resultUri(id),
              name: `Result of ${tool.name}`,
              mimeType,
            },
          ]
        : []),
    ],
    ...(structure !== undefined && { structuredContent: structure }),
  };
}

/** Without an output schema, structured content is optional. With one, it stays valid: shortened if possible, else whole. */
async function shrunkStructure(value: unknown, outputSchema: unknown, max: number): Promise<unknown> {
  if (value === undefined || !isRecord(outputSchema)) return undefined;
  return (await shrinkValue(value, max, isValidFor(outputSchema as JsonSchema))) ?? value;
}

/** Puts a text in place of all text blocks. */
function withText(content: readonly Block[], text: string): readonly Block[] {
  const first = content.find(isText);
  if (!first) return [{ type: 'text', text }, ...content];
  return content.flatMap((block) => (block === first ? [{ ...first, text }] : isText(block) ? [] : [block]));
}

function reads({ limits }: AdaptationTarget, form: 'text' | 'structure'): boolean {
  return limits.get('compat/structured-only')?.some(({ scope }) => scope?.reads === form) ?? false;
}

function isText(block: Block): block is Block & { readonly text: string } {
  return block.type === 'text' && typeof block.text === 'string';
}

function textsOf(content: readonly Block[]): readonly string[] {
  return content.filter(isText).map(({ text }) => text);
}

function isObjectSchema(schema: unknown): boolean {
  return isRecord(schema) && schema.type === 'object';
}

function isValidFor(schema: JsonSchema): (value: unknown) => Promise<boolean> {
  const check = checkLazily(schema, 'output');
  return async (value) =>
    await check(value).then(
      ({ ok }) => ok,
      // The schema is invalid.
      () => false,
    );
}

function isSameJson(text: string, json: string): boolean {
  return text === json || JSON.stringify(parseJson(text)) === json;
}

function parseJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
