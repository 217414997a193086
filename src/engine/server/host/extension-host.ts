// The extension host: the process that runs code of extensions.
import process from 'node:process';
import { onImported } from '../../extension/import-module.js';
import { begunNotes } from '../../host/begun-calls.js';
import { captureBuiltIns } from '../../host/built-ins.js';
import type { ChannelMessage } from '../../host/channel.js';
import { keepCrashListeners, tameCrashListeners } from '../../host/crash-listeners.js';
import { openHostChannel } from '../../host/host-channel.js';
import { areBuiltInsSound } from '../../host/soundness.js';
import { killTree } from '../process/ends.js';
import { installGuard } from '../process/guard.js';
import { lastWords } from '../process/last-words.js';
import { reporterOn } from '../reporting.js';
import { Endpoint } from './endpoint.js';
import type { FromHost, ToHost } from './messages.js';

const { stderr } = process;
const guard = installGuard({ stderr });
const report = reporterOn(stderr);
const endpoint = new Endpoint({
  send,
  report,
  inspect: repairChanges,
  note: begunNotes(),
  exit: () => void leave(),
});
const channel = openHostChannel({
  onMessage: (message) => endpoint.receive(message as unknown as ToHost),
});
keepCrashListeners();
// The guard has replaced some.
let builtIns = captureBuiltIns();

function send(message: FromHost): void {
  channel.send(message as unknown as ChannelMessage);
  // The code that runs next may block.
  if (message.type === 'hook' || message.type === 'loading') channel.flush();
}

/**
 * Polyfills may change built-ins while they load; what they add no longer shows in `for…in`. Changes that break what this
 * process relies on are undone.
 */
function acceptChanges(): void {
  const changed = builtIns.difference()[0];
  // Frozen globals show no difference.
  if (changed === undefined && !Object.isExtensible(globalThis)) {
    send({ type: 'broken', change: 'has global variables that a module froze' });
    channel.flush();
  } else if (changed !== undefined && areBuiltInsSound()) {
    builtIns.hideAdditions();
    builtIns = captureBuiltIns();
  } else if (changed !== undefined) {
    builtIns.heal();
    if (areBuiltInsSound()) {
      report(`A module of the extension broke a built-in while it loaded: ${changed}. It was put back.`);
    } else {
      send({ type: 'broken', change: `has a built-in that a module broke for good: ${changed}` });
      channel.flush();
    }
  }
  tameCrashListeners();
}

/** Repairs built-ins that code has changed while it ran. Gives the first change in words. */
function repairChanges(): string | undefined {
  // No iterator: that may be what has changed.
  const changed = builtIns.difference()[0];
  if (changed !== undefined) builtIns.heal();
  tameCrashListeners();
  return changed;
}

/** Children have a moment to end by themselves, and prints one to leave. */
async function leave(): Promise<void> {
  await killTree({ spawned: guard.spawned, graceMs: 300 });
  await lastWords(stderr);
  guard.exit(0);
}

onImported(acceptChanges);
send({ type: 'ready' });
