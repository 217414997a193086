import { BlockingInputChannel, createClientSender } from './blocking-channel.js';
import type { InputChannel, InputRequester } from './input-channel.js';
import { openReplayChannel } from './replay-channel.js';

/** Opens the input channel of the connection's era: replay on 2026-07-28, blocking before. */
export async function openInputChannel(requester: InputRequester): Promise<InputChannel> {
  return requester.connection.era === 'modern'
    ? await openReplayChannel(requester)
    : new BlockingInputChannel(createClientSender(requester));
}
