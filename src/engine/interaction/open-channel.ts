import { BlockingInputChannel, createClientSender } from './blocking-channel.js';
import type { InputChannel, InputRequester } from './input-channel.js';
import { openReplayChannel } from './replay-channel.js';

/** Who answers in an era: the client while the handler waits, or what it brought along. */
export async function openInputChannel(dialogue: InputRequester): Promise<InputChannel> {
  return dialogue.connection.era === 'modern'
    ? await openReplayChannel(dialogue)
    : new BlockingInputChannel(createClientSender(dialogue));
}
