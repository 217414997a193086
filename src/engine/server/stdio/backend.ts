import type { JSONRPCMessage, Server, TransportSendOptions } from '@modelcontextprotocol/server';
import type { Era } from '../protocol/eras.js';
import { withoutUnhonoured } from '../protocol/listen.js';
import { Channel } from './channel.js';

export interface BackendOptions {
  readonly era: Era;
  readonly createServer: (era: Era) => Server | Promise<Server>;
  readonly send: (message: JSONRPCMessage, options: TransportSendOptions | undefined) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/** The SDK server of one era, behind a channel that takes messages from the first moment on. */
export class Backend {
  readonly #channel: Channel;
  #close: (() => Promise<void>) | undefined;
  #isClosed = false;

  constructor({ era, createServer, send, onFailure }: BackendOptions) {
    this.#channel = new Channel(send);
    this.#connect(era, createServer).catch(onFailure);
  }

  deliver(message: JSONRPCMessage): void {
    this.#channel.deliver(message);
  }

  /** Ends what is still open: subscriptions get their result, handlers see their signal abort. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (this.#close ?? (() => this.#channel.close()))();
  }

  async #connect(era: Era, createServer: BackendOptions['createServer']): Promise<void> {
    const server = await createServer(era);
    const close = await connectors[era](server, this.#channel);
    if (this.#isClosed) await close();
    this.#close = close;
    this.#channel.open();
  }
}

/** How each era's server is put on its channel; the SDK's stdio entry brings `server/discover` and subscriptions along. */
const connectors: Record<Era, (server: Server, channel: Channel) => Promise<() => Promise<void>>> = {
  legacy: async (server, channel) => {
    await server.connect(channel);
    return () => server.close();
  },
  modern: async (server, channel) => {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const handle = serveStdio(() => server, { transport: channel, legacy: 'reject' });
    const { onmessage } = channel;
    channel.onmessage = (message) => onmessage?.(withoutUnhonoured(server, message));
    return () => handle.close();
  },
};
