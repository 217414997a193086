import { createRequire } from 'node:module';
import { isRecord, type UnknownRecord } from '../../base/value-checks.js';
import { isLiveSchema, jsonSchema, type LiveSchema } from '../../schema/index.js';
import { aiSchemaMark } from './ai-schema-mark.js';

/** The members of `ctx` that tools of other frameworks get. */
interface CallContext {
  readonly signal: AbortSignal;
  readonly requestId: string | number | undefined;
}

/** Keys of the AI SDK that have another form here, or no meaning outside of a chat. */
interface AiTool {
  readonly execute: (args: unknown, options: unknown) => unknown;
  readonly inputSchema?: unknown;
  readonly parameters?: unknown;
  readonly outputSchema?: unknown;
  readonly toModelOutput?: (given: unknown) => unknown;
  readonly needsApproval?: unknown;
}

const unusedKeys = [
  'type',
  'id',
  'args',
  'metadata',
  'strict',
  'inputExamples',
  'providerOptions',
  'supportsDeferredResults',
  'onInputStart',
  'onInputDelta',
  'onInputAvailable',
  'experimental_toToolResultContent',
];

/**
 * Converts a tool of the AI SDK, versions 4 to 6. Further keys are keys of a definition. `file` is the absolute path of
 * its module.
 * @see https://ai-sdk.dev/docs/reference/ai-sdk-core/tool
 */
export async function adaptAiTool(tool: object, file: string): Promise<UnknownRecord> {
  const { execute, inputSchema, parameters, outputSchema, toModelOutput, needsApproval, ...others } =
    tool as AiTool;
  const kept = Object.entries(others).filter(([key]) => !unusedKeys.includes(key));
  const describe = typeof toModelOutput === 'function' ? modelOutput(toModelOutput, file) : undefined;
  return {
    ...Object.fromEntries(kept),
    input: await readAiSchema(inputSchema ?? parameters),
    ...(outputSchema !== undefined && { output: await readAiSchema(outputSchema) }),
    // A function decides for each call in the AI SDK. Asking at each call is the safe side.
    ...(Boolean(needsApproval) && { confirm: 'user' }),
    handler: async (args: unknown, { signal, requestId }: CallContext) => {
      const toolCallId = String(requestId ?? crypto.randomUUID());
      const options = { abortSignal: signal, toolCallId, messages: [] };
      const output = await lastOf(Reflect.apply(execute, tool, [args, options]));
      if (!describe) return output;
      const result = await describe({ toolCallId, input: args, output });
      return outputSchema === undefined || result.isError ? result : { ...result, structuredContent: output };
    },
  };
}

/** The last value of a generator, which yields preliminary results; any other value unchanged. */
async function lastOf(given: unknown): Promise<unknown> {
  const answer = await given;
  if (!isRecord(answer) || !(Symbol.asyncIterator in answer)) return answer;
  let last: unknown;
  for await (const one of answer as AsyncIterable<unknown>) last = one;
  return last;
}

/** Schemas of the AI SDK: a Standard Schema, the value of its `jsonSchema()` or `zodSchema()`, or a function that returns one. */
async function readAiSchema(given: unknown): Promise<unknown> {
  if (isLiveSchema(given)) return given;
  const schema: unknown = typeof given === 'function' ? given() : given;
  if (!isRecord(schema) || !Object.hasOwn(schema, aiSchemaMark)) return schema;
  const wire: unknown = await schema.jsonSchema;
  const { validate } = schema;
  return typeof validate === 'function' ? checkedBy(validate as AiCheck, wire) : jsonSchema(wire as object);
}

type AiCheck = (value: unknown) => AiCheckResult | PromiseLike<AiCheckResult>;

type AiCheckResult =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error & { readonly issues?: unknown } };

function checkedBy(validate: AiCheck, wire: unknown): LiveSchema {
  return {
    '~standard': {
      vendor: 'ai',
      validate: async (value) => {
        const result = await validate(value);
        if (result.success) return { value: result.value };
        const { issues, message } = result.error;
        return { issues: Array.isArray(issues) ? issues : [{ message }] };
      },
      jsonSchema: { input: () => wire, output: () => wire },
    },
  };
}

interface ModelResult {
  readonly content: readonly object[];
  readonly isError?: true;
}

interface Answered {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/** Version 5 passes the output, later versions an object with it. */
function modelOutput(
  convert: (given: unknown) => unknown,
  file: string,
): (answer: Answered) => Promise<ModelResult> {
  const takesOutput = aiVersion(file) === 5;
  return async (answer) => toResult(await convert(takesOutput ? answer.output : answer));
}

/** Major version of the `ai` package of a module; undefined without one. */
function aiVersion(file: string): number | undefined {
  try {
    const { version } = createRequire(file)('ai/package.json') as { readonly version: string };
    return Number.parseInt(version, 10);
  } catch {
    return undefined;
  }
}

function toResult(told: unknown): ModelResult {
  const { type, value, reason } = isRecord(told) ? told : {};
  const blocks = type === 'content' && Array.isArray(value) ? value.map(toBlock) : [textBlock(value)];
  if (type === 'execution-denied') return { content: [textBlock(reason ?? 'Denied.')], isError: true };
  return { content: blocks, ...(/^error-/.test(String(type)) && { isError: true }) };
}

function toBlock(part: unknown): object {
  const { type, text, data, mediaType, url } = isRecord(part) ? part : {};
  if (type === 'text') return textBlock(text);
  const kind = String(mediaType).split('/')[0]!;
  if (typeof data === 'string' && ['image', 'audio'].includes(kind))
    return { type: kind, data, mimeType: mediaType };
  if (typeof url === 'string') return { type: 'resource_link', uri: url, name: url };
  return textBlock(part);
}

function textBlock(value: unknown): object {
  return { type: 'text', text: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') };
}

interface LangChainTool {
  readonly name: string;
  readonly description?: unknown;
  readonly schema: unknown;
  readonly invoke: (args: unknown, options: unknown) => unknown;
}

/**
 * Converts a structured tool of LangChain.js.
 * @see https://docs.langchain.com/oss/javascript/langchain/tools
 */
export function adaptLangChainTool(tool: object): UnknownRecord {
  const { name, description, schema, invoke } = tool as LangChainTool;
  return {
    name,
    ...(typeof description === 'string' && { description }),
    input: isLiveSchema(schema) || !isRecord(schema) || !('type' in schema) ? schema : jsonSchema(schema),
    handler: (args: unknown, { signal }: CallContext) => Reflect.apply(invoke, tool, [args, { signal }]),
  };
}
