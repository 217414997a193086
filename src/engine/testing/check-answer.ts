import { errorMessage } from '../base/thrown-value.js';
import { isRecord, isString } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { Era } from '../protocol/eras.js';
import { checkLazily } from '../schema/validator.js';
import type { CaseExpectation, ExpectedNotification, TestCase } from './test-case.js';
import type { ServerNotification } from './test-client.js';
import { differencesFrom, hasPart, missingFrom, type ValueFault } from './value-match.js';

/** An unmet expectation. */
export interface Failure {
  /** A sentence. */
  readonly message: string;
  /** Differing values, if the expectation is a value. */
  readonly differences?: readonly ValueFault[];
}

/** Answer to the request of a case. */
export type Answer = { readonly result: JsonObject } | { readonly error: AnswerError };

interface AnswerError {
  readonly code: number;
  readonly message: string;
}

/** Returns the unmet expectations about an answer, without snapshots and notifications. */
export async function checkAnswer(answer: Answer, one: TestCase, era: Era): Promise<readonly Failure[]> {
  const { expect = {} } = one;
  const { error: expected } = expect;
  if ('error' in answer) {
    if (isRecord(expected)) return checkError(answer.error, expected);
    const { code, message } = answer.error;
    return [{ message: `The server answered with the error ${code}: ${message}` }];
  }
  const { result } = answer;
  const text = textOf(result);
  if (isRecord(expected)) {
    const code = expected.code === undefined ? '' : ` ${String(expected.code)}`;
    return [{ message: `Expected the JSON-RPC error${code}, and the server answered with a result.` }];
  }
  if (expected !== undefined && expected !== false) {
    if (result.isError !== true) return [{ message: 'Expected an error, and the call succeeded.' }];
    if (isString(expected) && !matches(expected, text)) return [notMatched('the error', expected, text)];
  } else if (result.isError === true)
    return [{ message: `The tool failed: ${text || JSON.stringify(result)}` }];
  return [
    ...checkText(text, expect),
    ...(await checkValues(valuesOf(result, one, era), expect)),
    ...(await runCheck(result, expect)),
  ];
}

function checkError({ code, message }: AnswerError, expected: JsonObject): readonly Failure[] {
  if (expected.code !== undefined && expected.code !== code)
    return [{ message: `Expected the error ${String(expected.code)}, and got ${code}: ${message}` }];
  const { pattern } = expected;
  return isString(pattern) && !matches(pattern, message) ? [notMatched('the error', pattern, message)] : [];
}

function* checkText(text: string, { text: exact, pattern }: CaseExpectation): Generator<Failure> {
  if (exact !== undefined && exact !== text)
    yield { message: 'The text differs.', differences: [{ path: [], expected: exact, actual: text }] };
  if (pattern !== undefined && !matches(pattern, text)) yield notMatched('the text', pattern, text);
}

/** `values`: forms of the same value, of which one must be as expected. */
async function checkValues(values: readonly unknown[], expect: CaseExpectation): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  const fewest = (find: (value: unknown) => Iterable<ValueFault>) =>
    values.map((value) => [...find(value)]).sort((one, other) => one.length - other.length)[0]!;
  if ('value' in expect) {
    const differences = fewest((value) => differencesFrom(expect.value, value));
    if (differences.length > 0) failures.push({ message: 'The value differs.', differences });
  }
  if ('contains' in expect) {
    const differences = fewest((value) => missingFrom(expect.contains, value));
    if (differences.length > 0) failures.push({ message: 'The value lacks an expected part.', differences });
  }
  if (expect.schema !== undefined) {
    const { schema } = expect;
    const check = checkLazily(schema === true ? {} : schema === false ? { not: {} } : schema, 'output');
    const checks = await Promise.all(values.map(check));
    const [first] = checks;
    if (first && !checks.some(({ ok }) => ok) && !first.ok)
      for (const { path, message } of first.issues)
        failures.push({ message: `The value does not fit the schema: ${message}${path && ` at ${path}`}.` });
  }
  return failures;
}

async function runCheck(result: JsonObject, { check }: CaseExpectation): Promise<readonly Failure[]> {
  try {
    await check?.(result);
    return [];
  } catch (error) {
    return [{ message: errorMessage(error) }];
  }
}

/**
 * The value of a result that expectations are about. Up to 2025-11-25, structured output that is no object comes in an
 * object with the key `result`, so it has two forms.
 */
export function valuesOf(
  result: JsonObject,
  { prompt, resource, list, complete }: TestCase,
  era: Era,
): readonly unknown[] {
  if (prompt !== undefined) return [result.messages];
  if (resource !== undefined) return [result.contents];
  if (list !== undefined) return [result[list]];
  if (complete) return [isRecord(result.completion) ? result.completion.values : undefined];
  const { structuredContent: structured } = result;
  if (structured === undefined) return [result.content];
  const isWrapped = era === 'legacy' && isRecord(structured) && Object.keys(structured).join() === 'result';
  return isWrapped ? [structured, structured.result] : [structured];
}

/** Text blocks of a tool, a prompt or a resource, joined by line breaks. */
function textOf({ content, messages, contents }: JsonObject): string {
  const inMessages = Array.isArray(messages)
    ? messages.flatMap((message: unknown) => (isRecord(message) ? [message.content].flat() : []))
    : undefined;
  const blocks: unknown = content ?? inMessages ?? contents;
  if (!Array.isArray(blocks)) return '';
  return blocks
    .flatMap((block: unknown) => (isRecord(block) && isString(block.text) ? [block.text] : []))
    .join('\n');
}

/** Returns the first expected notification that did not come in order. */
export function missingNotification(
  expected: readonly ExpectedNotification[],
  notifications: readonly ServerNotification[],
): ExpectedNotification | undefined {
  let next = 0;
  return expected.find((one) => {
    const found = notifications.findIndex((notification, at) => at >= next && isExpected(notification, one));
    if (found === -1) return true;
    next = found + 1;
    return false;
  });
}

function isExpected(
  { method, params }: ServerNotification,
  { progress, log, changed }: ExpectedNotification,
): boolean {
  if (progress) return method === 'notifications/progress' && hasPart(progress, params);
  if (changed) return method === `notifications/${changed}/list_changed`;
  if (!log || method !== 'notifications/message') return false;
  const { level = params.level, data, pattern } = log;
  if (level !== params.level || (data !== undefined && !hasPart(data, params.data))) return false;
  return (
    pattern === undefined ||
    matches(pattern, isString(params.data) ? params.data : JSON.stringify(params.data))
  );
}

function matches(pattern: string, text: string): boolean {
  return new RegExp(pattern, 'u').test(text);
}

function notMatched(what: string, pattern: string, text: string): Failure {
  return { message: `Expected ${what} to match /${pattern}/, and got ${JSON.stringify(text)}.` };
}
