// The extension host: the process that runs code of extensions.
import process from 'node:process';
import { onImported } from '../../extension/modules.js';
import { captureBuiltIns } from '../../host/built-ins.js';
import type { ChannelMessage } from '../../host/channel.js';
import { keepCrashListeners, tameCrashListeners } from '../../host/crash-listeners.js';
import { openHostChannel } from '../../host/host-channel.js';
import { areBuiltInsSound } from '../../host/soundness.js';
import { ProtocolError } from '../../items/builders.js';
import { messageOf } from '../../thrown.js';
import { installGuard } from '../process/guard.js';
import { reporterOn } from '../reporting.js';
import type { FromHost, ToHost } from './messages.js';
import { Runner } from './runner.js';

let runner: Runner | undefined;
const { stderr } = process;
const guard = installGuard({ stderr });
const report = reporterOn(stderr);
const channel = openHostChannel({ onMessage: (message) => receive(message as unknown as ToHost) });
keepCrashListeners();
// The guard has replaced some.
let builtIns = captureBuiltIns();

function send(message: FromHost): void {
  channel.send(message as unknown as ChannelMessage);
}

/**
 * Polyfills may change built-ins while they load; what they add no longer shows in `for…in`. Changes that break what this
 * process relies on are undone.
 */
function acceptChanges(): void {
  const changed = builtIns.difference()[0];
  if (changed !== undefined && areBuiltInsSound()) {
    builtIns.hideAdditions();
    builtIns = captureBuiltIns();
  } else if (changed !== undefined) {
    builtIns.heal();
    report(`A module of the extension broke a built-in while it loaded: ${changed}. It was put back.`);
  }
  tameCrashListeners();
}

/** Repairs built-ins that code has changed while it ran. Gives the first change in words. */
function repairChanges(): { readonly changed?: string } {
  // No iterator: that may be what has changed.
  const changed = builtIns.difference()[0];
  if (changed !== undefined) builtIns.heal();
  tameCrashListeners();
  if (changed === undefined) return {};
  return { changed };
}

function receive(message: ToHost): void {
  switch (message.type) {
    case 'start':
      runner = new Runner(message.hosted, { send, report });
      return;
    case 'describe':
      void finish(message.call, runner!.describe(message.file));
      return;
    case 'compose':
      void finish(message.call, runner!.compose());
      return;
    case 'open':
      runner!.open(message.connection, message.opened);
      return;
    case 'update':
      runner!.update(message.connection, message);
      return;
    case 'close':
      runner!.close(message.connection);
      return;
    case 'request':
      void finish(message.call, runner!.run(message));
      return;
    case 'cancel':
      runner!.cancel(message.call, message.reason);
      return;
    case 'answer':
    case 'failure':
      runner!.settle(message);
      return;
    case 'end':
      runner?.end();
      // Listeners of the signal have their turn first.
      setImmediate(() => guard.exit(0));
  }
}

async function finish(call: number, work: Promise<object>): Promise<void> {
  try {
    const result = (await work) as Extract<FromHost, { type: 'result' }>['result'];
    const changed = repairChanges();
    send({ type: 'result', call, result, ...changed });
  } catch (error) {
    const changed = repairChanges();
    send({ type: 'error', call, error: bodyOf(error), ...changed });
  }
}

function bodyOf(error: unknown): Extract<FromHost, { type: 'error' }>['error'] {
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return { code, message, ...(data !== undefined && { data }) };
  }
  return { message: messageOf(error) };
}

onImported(acceptChanges);
send({ type: 'ready' });
