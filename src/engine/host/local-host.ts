import type { HostDeath } from './host-death.js';
import { Endpoint } from './host-endpoint.js';
import type { HostLink, HostLinkOptions } from './host-generation.js';
import type { ToHost } from './host-messages.js';
import type { ChannelMessage } from './json-line-channel.js';

/** Host in this process, for systems that allow no child processes. It provides no isolation. */
export class LocalHost implements HostLink {
  /** Irrelevant: the host ends with this process. */
  readonly lastBegun = Number.POSITIVE_INFINITY;
  readonly #endpoint: Endpoint;
  readonly #end: (death: HostDeath) => void;

  constructor({ report, onReady, onMessage, onDeath }: HostLinkOptions) {
    let isOver = false;
    const deliver = (take: () => void) =>
      setImmediate(() => {
        if (!isOver) take();
      });
    this.#end = (death) => {
      if (isOver) return;
      isOver = true;
      onDeath(death);
    };
    this.#endpoint = new Endpoint({
      send: (message) => deliver(() => onMessage(message as unknown as ChannelMessage, '')),
      report,
      inspect: () => undefined,
      note: () => {},
      flush: () => {},
      exit: () => this.#end({ kind: 'killed', reason: 'was ended' }),
    });
    deliver(() => onReady({ type: 'ready' }));
  }

  send(message: ChannelMessage): boolean {
    this.#endpoint.receive(message as unknown as ToHost);
    return true;
  }

  async kill(reason = 'was ended'): Promise<void> {
    this.#end({ kind: 'killed', reason });
  }
}
