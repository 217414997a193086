import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import { canonical } from '../base/canonical-json.js';
import type { ReplayState, StatefulCall } from '../live/connection.js';
import { ownerKey } from '../live/request-keys.js';
import { isObject } from '../protocol/envelope.js';
import { internalError, invalidParams } from '../protocol/request-errors.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { reportOnce, type ServerRuntime } from '../runtime/server-runtime.js';

/** Whether something that came from a process with foreign code is what a call remembers. */
export function isRemembered(value: unknown): value is ReplayState {
  if (!isObject(value)) return false;
  const { answers, steps, asked } = value;
  const hasTexts = isObject(steps) && Object.values(steps).every((text) => typeof text === 'string');
  const hasKeys = Array.isArray(asked) && asked.every((key) => typeof key === 'string');
  return isObject(answers) && hasTexts && hasKeys;
}

export const emptyReplayState: ReplayState = { answers: {}, steps: {}, asked: [] };

/** How long a user may take over one round. */
const lifetimeSeconds = 60 * 60;

/** The longest state that is handed out. */
const maxStateLength = 1024 * 1024;

/** Set it where several processes serve one client, so that each takes the states of the others. */
const secretVariable = 'AGENTTOOLS_STATE_SECRET';

/** Shorter ones could be guessed. */
const minSecretLength = 32;

/** For states that only this process can read. Made when it is needed: some platforms give nothing random before. */
let ownKey: Uint8Array | undefined;

const codecs = new Map<string, RequestStateCodec<ReplayState>>();

/** Packs what is to be remembered. @throws ProtocolError if it is too much */
export async function writeState(call: StatefulCall, remembered: ReplayState): Promise<string> {
  const state = await codecFor(call.connection.calls).mint(remembered, bound(call));
  if (state.length <= maxStateLength) return state;
  const much = `The answers and steps of this call take ${state.length} characters, and ${maxStateLength} are the most.`;
  throw new ProtocolError(internalError, much);
}

/**
 * Unpacks a state that was handed out for the same request.
 * @throws ProtocolError for any other; which reason it is would only help to forge one
 */
export async function readState(call: StatefulCall, state: unknown): Promise<ReplayState> {
  try {
    return await codecFor(call.connection.calls).verify(state as string, bound(call));
  } catch {
    const { method } = call.subject;
    const problem = '"requestState" was not made for this request, was changed, or has expired';
    throw new ProtocolError(
      invalidParams,
      `Invalid params for ${method}: ${problem}. Call again without it.`,
    );
  }
}

function codecFor(calls: ServerRuntime): RequestStateCodec<ReplayState> {
  const secret = readStateSecret(calls);
  const codec =
    codecs.get(secret) ??
    createRequestStateCodec<ReplayState>({
      key: secret === '' ? keyOfProcess() : new TextEncoder().encode(secret),
      ttlSeconds: lifetimeSeconds,
      bind: (subject) => subject as never,
    });
  codecs.set(secret, codec);
  return codec;
}

function keyOfProcess(): Uint8Array {
  ownKey ??= crypto.getRandomValues(new Uint8Array(32));
  return ownKey;
}

function readStateSecret(calls: ServerRuntime): string {
  const secret = calls.env[secretVariable] ?? '';
  if (secret === '' || secret.length >= minSecretLength) return secret;
  reportOnce(calls, `${secretVariable} is not used: it has fewer than ${minSecretLength} characters.`);
  return '';
}

/**
 * What a state is good for: this request of this server, by whoever made it. The codec takes it for its context.
 * @see MCP 2026-07-28, basic/patterns/mrtr, Server Requirements 5
 */
function bound({ connection, request, subject }: StatefulCall): never {
  const { info } = connection.calls.server;
  const { method, name, args } = subject;
  return canonical([info.name, method, name, args ?? {}, ownerKey(request.auth)]) as never;
}
