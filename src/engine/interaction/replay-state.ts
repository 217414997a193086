import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import { canonical } from '../base/canonical-json.js';
import { isRecord } from '../base/value-checks.js';
import type { ReplayState, StatefulCall } from '../live/connection.js';
import { ownerKey } from '../live/request-keys.js';
import { internalError, invalidParams } from '../protocol/request-errors.js';
import { ProtocolError } from '../runtime/result-builders.js';
import { reportOnce, type ServerRuntime } from '../runtime/server-runtime.js';

/** True if a value from the extension host is a replay state. */
export function isRemembered(value: unknown): value is ReplayState {
  if (!isRecord(value)) return false;
  const { answers, steps, asked } = value;
  const hasTexts = isRecord(steps) && Object.values(steps).every((text) => typeof text === 'string');
  const hasKeys = Array.isArray(asked) && asked.every((key) => typeof key === 'string');
  return isRecord(answers) && hasTexts && hasKeys;
}

export const emptyReplayState: ReplayState = { answers: {}, steps: {}, asked: [] };

/** Lifetime of a state: longest time for the user to answer. */
const lifetimeSeconds = 60 * 60;

/** Longest state that is sent, in characters. */
const maxStateLength = 1024 * 1024;

/** Variable with a secret that several processes of one server share, so that each accepts the states of all. */
const secretVariable = 'AGENTTOOLS_STATE_SECRET';

/** In characters. Shorter secrets could be guessed. */
const minSecretLength = 32;

/** Key for states of this process only. Created on first use: some platforms have no random values at load time. */
let ownKey: Uint8Array | undefined;

const codecs = new Map<string, RequestStateCodec<ReplayState>>();

/** Returns the signed `requestState`. @throws ProtocolError if it is too long */
export async function writeState(call: StatefulCall, remembered: ReplayState): Promise<string> {
  const state = await codecFor(call.connection.calls).mint(remembered, bound(call));
  if (state.length <= maxStateLength) return state;
  const much = `The answers and steps of this call take ${state.length} characters, and ${maxStateLength} are the most.`;
  throw new ProtocolError(internalError, much);
}

/**
 * Verifies a `requestState` that was made for the same request.
 * @throws ProtocolError if invalid. The message does not name the reason, since that would help to forge a state.
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
 * Context that a state is bound to: server, method, item, arguments and user. The codec gets it as its context.
 * @see MCP 2026-07-28, basic/patterns/mrtr, Server Requirements 5
 */
function bound({ connection, request, subject }: StatefulCall): never {
  const { info } = connection.calls.server;
  const { method, name, args } = subject;
  return canonical([info.name, method, name, args ?? {}, ownerKey(request.auth)]) as never;
}
