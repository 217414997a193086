import { ProtocolError } from '@modelcontextprotocol/client';
import { isRecord } from '../base/value-checks.js';
import type { JsonObject } from '../protocol/envelope.js';
import type { Root } from '../runtime/context.js';
import { ToolError } from '../runtime/result-builders.js';
import {
  fallbackAnswer,
  readInputRequest,
  UnansweredRequestError,
  type UpstreamInputRequest,
} from './input-requests.js';
import type { UpstreamCall } from './upstream-call.js';

/**
 * Answers a request of an upstream server. Up to 2025-11-25 it names no call: all calls of a connection belong to one
 * user, and the latest one is asked. @throws ProtocolError
 */
export async function answerRequest(
  question: UpstreamInputRequest,
  underWay: Iterable<UpstreamCall>,
  roots: () => Promise<readonly Root[]>,
): Promise<JsonObject> {
  const calls = [...underWay];
  const call = calls.at(-1);
  if (!call) {
    if (question.method === 'roots/list') return { roots: await roots() };
    throw new ProtocolError(-32_603, 'No call is in progress, so there is no client to ask.');
  }
  try {
    return await call.ask(question);
  } catch (error) {
    if (error instanceof UnansweredRequestError) throw new ProtocolError(error.code, error.message);
    throw new ProtocolError(-32_603, 'The call has ended.');
  }
}

/**
 * Answers the input requests of a call (2026-07-28). `say` formats a sentence about the upstream server.
 * @throws ToolError if an answer that the call requires is missing
 */
export async function answerInputRequests(
  inputRequests: JsonObject,
  call: UpstreamCall,
  say: (text: string) => string,
): Promise<JsonObject> {
  const responses = Object.entries(inputRequests).map(async ([key, request]) => {
    const { method, params } = isRecord(request) ? request : {};
    const question = readInputRequest(method, params);
    return [key, await answerUpstreamRequest(question, call, say)] as const;
  });
  return Object.fromEntries(await Promise.all(responses));
}

/** Answers one input request. A response cannot be an error, so a call without a required answer ends. */
async function answerUpstreamRequest(
  question: UpstreamInputRequest,
  call: UpstreamCall,
  say: (text: string) => string,
): Promise<JsonObject> {
  try {
    return await call.ask(question);
  } catch (error) {
    if (!(error instanceof UnansweredRequestError)) throw error;
    const response = fallbackAnswer(question.method);
    if (response) return response;
    throw new ToolError(say(`cannot go on with this call: ${error.message}`));
  }
}
