import { readSync } from 'node:fs';
import { Socket } from 'node:net';
import { endTree, type TreeMark } from '../base/process-tree.js';
import { descriptors, hostMark, keyLength } from './channel-descriptors.js';
import { DescriptorWriter } from './descriptor-writer.js';
import { type ChannelOptions, JsonLineChannel } from './json-line-channel.js';

// Kept before extension code loads. An import of `node:process` would open stdin, stdout and stderr.
const kill = process.kill.bind(process);
const { pid } = process;

export type HostChannelOptions = Pick<ChannelOptions, 'maxBytes' | 'onMessage'>;

/**
 * Connects this extension host to the front that started it. Call it before extension code loads. If the front exits or
 * breaks the format, this process ends at once, with its descendants.
 */
export function openHostChannel({ maxBytes, onMessage }: HostChannelOptions): JsonLineChannel {
  const mark: TreeMark = { name: hostMark, value: process.env[hostMark] ?? '' };
  const leave = (): void => {
    try {
      endTree(pid, mark);
    } finally {
      kill(pid, 'SIGKILL');
    }
  };
  return new JsonLineChannel({
    input: new Socket({ fd: descriptors.toHost, readable: true, writable: false }),
    output: new DescriptorWriter(descriptors.toFront, leave),
    ...(maxBytes !== undefined && { maxBytes }),
    ownKey: readKey(),
    onMessage,
    onEnd: leave,
    onFault: leave,
  });
}

/** Pause before the next attempt to read the key, in milliseconds. */
const pauseMs = 1;

/** Reads the first bytes from the front: the key of this host. Extension code never sees it. */
function readKey(): string {
  const bytes = new Uint8Array(keyLength);
  for (let length = 0; length < keyLength; ) {
    try {
      const count = readSync(descriptors.toHost, bytes, length, keyLength - length, null);
      if (count === 0) throw new Error('The front has sent no key.');
      length += count;
    } catch (error) {
      // The pipe does not block before the first write of the front.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
  return new TextDecoder().decode(bytes);
}
