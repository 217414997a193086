import type { Session } from '../../support/session.js';

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire is looked at member by member
type Message = any;

/** What a client makes of a question, by the key and the request. */
export type Respond = (request: Message, key: string) => unknown;

export interface Played {
  readonly result: Message;
  /** What was asked, by key, round by round. */
  readonly rounds: readonly Readonly<Record<string, Message>>[];
}

/** Makes a request of 2026-07-28 as often as the server asks; undefined answers are left out. */
export async function play(
  session: Session,
  [method, params]: readonly [method: string, params: object],
  respond: Respond,
): Promise<Played> {
  const rounds: Readonly<Record<string, Message>>[] = [];
  let result = await session.request(method, params);
  while (result.resultType === 'input_required') {
    if (rounds.length === 20) throw new Error(`Asked for ever: ${JSON.stringify(rounds.at(-1))}`);
    rounds.push(result.inputRequests);
    const { requestState } = result;
    const inputResponses = responses(result.inputRequests, respond);
    result = await session.request(method, { ...params, inputResponses, requestState });
  }
  return { result, rounds };
}

function responses(requests: Readonly<Record<string, Message>>, respond: Respond): object {
  const told = Object.entries(requests).map(([key, request]) => [key, respond(request, key)]);
  return Object.fromEntries(told.filter(([, response]) => response !== undefined));
}

/** A promise that the test itself keeps. */
export interface Pending<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

export function pending<T = void>(): Pending<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((kept) => {
    resolve = kept;
  });
  return { promise, resolve };
}
