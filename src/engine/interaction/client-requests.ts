import { parseUrl } from '../base/parse-url.js';
import { describePlainFault } from '../base/plain-data.js';
import { errorMessage } from '../base/thrown-value.js';
import { isRecord } from '../base/value-checks.js';
import { liveDefinition } from '../extension/live-definition.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { Answer, Root, UrlAnswer } from '../runtime/context.js';
import { ToolError } from '../runtime/result-builders.js';
import { requirePlain } from '../runtime/tool-result.js';
import { type CompiledSchema, compileSchema, formatIssues, SchemaError } from '../schema/index.js';
import { buildForm, InputRequestError } from './elicitation-form.js';
import { parseRoots } from './roots.js';

/** A request to the client, and the parser of its response. */
export interface InputRequest<T> {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: JsonObject;
  /** Capabilities that the client must declare. */
  readonly capabilities: readonly string[];
  /** Returns the answer, or the problem with the user's input. @throws ToolError if the response is malformed */
  read(response: unknown): ParsedAnswer<T> | Promise<ParsedAnswer<T>>;
  /** Returns the answer for a refused or late request. @throws ToolError if the answer is required */
  unanswered(reason: string): T;
  /** Returns the same request with the problem of the last answer in its message. Absent if never repeated. */
  again?(problem: string): InputRequest<T>;
}

type ParsedAnswer<T> = { readonly answer: T } | { readonly problem: string };

/** Reports a fault of the client to the debug log. */
type ReportProblem = (text: string) => void;

/** The parts of the connection that an input request depends on. */
export interface InputRequestContext {
  readonly version: string;
  readonly isModern: boolean;
  readonly note: ReportProblem;
}

/** Most attempts of the user to match the schema, if the handler blocks. */
const maxAskAttempts = 3;

/** Result of an input request: a response, or the reason for a missing one. */
export type InputResponse = { readonly result: unknown } | { readonly failure: string };

/** Asks until the answer is valid, at most three times. */
export async function requestUntilValid<T>(
  first: InputRequest<T>,
  put: (question: InputRequest<T>) => Promise<InputResponse>,
): Promise<T> {
  let question = first;
  for (let attempt = 1; ; attempt += 1) {
    const response = await put(question);
    if ('failure' in response) return question.unanswered(response.failure);
    const reading = await question.read(response.result);
    if ('answer' in reading) return reading.answer;
    if (attempt === maxAskAttempts || !question.again) return question.unanswered(reading.problem);
    question = question.again(reading.problem);
  }
}

/** @throws InputRequestError if a form cannot represent the schema */
export async function formQuestion(
  { message, schema }: { readonly message: string; readonly schema: unknown },
  { version, note }: InputRequestContext,
): Promise<InputRequest<Answer<never>>> {
  requireText(message);
  if (schema === undefined) {
    throw new InputRequestError('A question needs a schema of what is asked for; {} asks for a yes or no.');
  }
  const compiled = await compiledOnce(schema);
  const requestedSchema = buildForm(compiled.wire, version);
  const ask = (text: string): InputRequest<Answer<never>> => ({
    method: 'elicitation/create',
    // Clients before 2025-11-25 do not know `mode`. Its default is "form".
    params: { ...(version >= '2025-11-25' && { mode: 'form' }), message: text, requestedSchema },
    capabilities: ['elicitation.form'],
    read: (response) => readForm(response, compiled, note),
    unanswered: (reason) => cancelAnswer(reason, note),
    again: (problem) => ask(`${message}\n\n${problem}`),
  });
  return ask(message);
}

/** @throws InputRequestError if the URL is invalid */
export function urlQuestion(
  {
    message,
    url,
    elicitationId = crypto.randomUUID(),
  }: { readonly message: string; readonly url: string; readonly elicitationId?: string | undefined },
  { isModern, note }: InputRequestContext,
): InputRequest<UrlAnswer> {
  requireText(message);
  if (!parseUrl(url)) throw new InputRequestError(`The user cannot be sent to "${url}", which is not a URL.`);
  return {
    method: 'elicitation/create',
    params: { mode: 'url', message, url, ...(!isModern && { elicitationId }) },
    capabilities: ['elicitation.url'],
    read: (response) => {
      const action = isRecord(response) ? response.action : undefined;
      if (action === 'accept' || action === 'decline' || action === 'cancel') return { answer: { action } };
      return { answer: cancelAnswer(`the action ${JSON.stringify(action)}`, note) };
    },
    unanswered: (reason) => cancelAnswer(reason, note),
  };
}

/** @throws TypeError if the params are not JSON */
export function samplingQuestion(given: unknown): InputRequest<JsonObject> {
  const params = requireParams(given);
  const usesTools = params.tools !== undefined || params.toolChoice !== undefined;
  return {
    method: 'sampling/createMessage',
    params,
    capabilities: usesTools ? ['sampling', 'sampling.tools'] : ['sampling'],
    read: (response) => {
      const isMessage =
        isRecord(response) &&
        typeof response.role === 'string' &&
        (isRecord(response.content) || Array.isArray(response.content));
      if (!isMessage) throw new ToolError('The client answered a request for sampling with no message.');
      return { answer: response };
    },
    unanswered: (reason) => {
      throw new ToolError(`The client did not let its model answer: ${reason}`);
    },
  };
}

export function rootsQuestion(): InputRequest<readonly Root[]> {
  return {
    method: 'roots/list',
    capabilities: ['roots'],
    read: (response) => {
      const roots = parseRoots(response);
      if (!roots) throw new ToolError('The client answered a request for its roots with no list.');
      return { answer: roots };
    },
    unanswered: (reason) => {
      throw new ToolError(`The client did not send its roots: ${reason}`);
    },
  };
}

/** Reads an answer to a form. An unknown action, or content that is not an object, counts as "cancel". */
async function readForm(
  response: unknown,
  compiled: CompiledSchema,
  note: ReportProblem,
): Promise<ParsedAnswer<Answer<never>>> {
  const { action, content = {} } = isRecord(response) ? response : {};
  if (action === 'decline' || action === 'cancel') return { answer: { action } };
  if (action !== 'accept') return { answer: cancelAnswer(`the action ${JSON.stringify(action)}`, note) };
  if (!isRecord(content)) return { answer: cancelAnswer('content that is no object', note) };
  const checked = await compiled.check(content);
  if (!checked.ok) return { problem: formatIssues(checked.issues) };
  return { answer: { action, content: checked.value as never } };
}

function cancelAnswer(reason: string, note: ReportProblem): { readonly action: 'cancel' } {
  note(`The client answered a question with ${reason}, which counts as "cancel".`);
  return { action: 'cancel' };
}

const compiledSchemas = new WeakMap<object, Promise<CompiledSchema>>();

/** Compiles each schema object once. */
function compiledOnce(schema: unknown): Promise<CompiledSchema> {
  if (typeof schema !== 'object' || schema === null) return compiledForm(schema);
  const compiled = compiledSchemas.get(schema) ?? compiledForm(schema);
  compiledSchemas.set(schema, compiled);
  return compiled;
}

async function compiledForm(schema: unknown): Promise<CompiledSchema> {
  try {
    return await compileSchema(plainSchema(schema), { side: 'input' });
  } catch (error) {
    throw new InputRequestError(`The schema of a question is unusable: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

function plainSchema(schema: unknown): unknown {
  const { value, faults } = liveDefinition(schema);
  if (faults[0]) throw new SchemaError(`${describePlainFault(faults[0])}.`, faults[0].path);
  return value;
}

function requireText(message: unknown): void {
  if (typeof message !== 'string') throw new InputRequestError('A question needs a text to ask it with.');
}

function requireParams(given: unknown): JsonObject {
  try {
    const params = requirePlain(given);
    if (isRecord(params)) return params;
  } catch (error) {
    throw new TypeError(`The model cannot be asked with these params: ${errorMessage(error)}.`, {
      cause: error,
    });
  }
  throw new TypeError('The model is asked with params that are an object.');
}
