import type { WireObject } from '../protocol/envelope.js';

/** A notification that belongs to no request. */
export interface ServerMessage {
  readonly method: 'notifications/message' | 'notifications/elicitation/complete';
  readonly params: WireObject;
}

type MessageListener = (message: ServerMessage) => void;

/** Passes notifications that belong to no request to the connections of clients. */
export class MessageNotifier {
  readonly #listeners = new Set<MessageListener>();

  /** Returns the function that unsubscribes. */
  readonly onMessage = (listener: MessageListener): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly tell = (message: ServerMessage): void => {
    for (const listener of this.#listeners) listener(message);
  };
}
