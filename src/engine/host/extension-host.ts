// The extension host: the process that runs extension code.
import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { onCodeReturn } from '../base/code-boundary.js';
import { reporterOn } from '../base/line-reporter.js';
import { onImported } from '../extension/import-module.js';
import { guardAsyncHooks } from '../process/async-hooks.js';
import { killTree } from '../process/exit-watch.js';
import { flushOutput } from '../process/flush-output.js';
import { installGuard } from '../process/install-guard.js';
import { watchModuleHooks } from '../process/module-hooks.js';
import { begunNotes } from './begun-calls.js';
import { captureBuiltIns, hasNewModules, pushItem } from './built-ins.js';
import { areBuiltInsSound } from './built-ins-check.js';
import { keepCrashListeners, tameCrashListeners } from './crash-listeners.js';
import { DebuggerPort } from './debugger-port.js';
import { openHostChannel } from './host-channel.js';
import { Endpoint, type Tampering } from './host-endpoint.js';
import type { FromHost, ToHost } from './host-messages.js';
import type { ChannelMessage } from './json-line-channel.js';
import { readsName } from './own-names.js';
import { captureSurroundings, repairEnv } from './surroundings.js';
import { ThreadPool } from './thread-pool.js';

// Kept before extension code loads.
const { stderr } = process;
const clock = performance;
const { now } = performance;
const { apply } = Reflect;
const { isExtensible } = Object;
const { syncBuiltinESMExports } = module;
const ownFolder = fileURLToPath(new URL('.', import.meta.url));

const guard = installGuard({ stderr });
const report = reporterOn(stderr);
const endpoint = new Endpoint({
  send: sendToFront,
  report,
  inspect,
  note: begunNotes(),
  flush: () => channel.flush(),
  exit: () => void leave(),
  threadPool: new ThreadPool(),
});
const channel = openHostChannel({ onMessage: (message) => receive(message as unknown as ToHost) });
keepCrashListeners();
const moduleHooks = watchModuleHooks();
onCodeReturn(() => {
  if (builtIns.haveEssentialsChanged()) endpoint.inspect();
});
sendToFront({ type: 'ready' });
channel.flush();
// The rest runs while the front answers, which takes another turn.
// Many extensions share these modules. An extension that loads one first and changes it at once would go unnoticed.
for (const name of ['crypto', 'http', 'https']) process.getBuiltinModule(name);
guardAsyncHooks(report);
// Captured after the guards and the hook watch, which have replaced some built-ins.
let builtIns = captureBuiltIns();
let surroundings = captureSurroundings();

/** Pause between thorough comparisons of calls, in milliseconds. One comparison takes 0.3 ms. */
const thoroughPauseMs = 50;

/** Pause between full comparisons of the surroundings after calls, in milliseconds. One comparison takes 0.01 ms. */
const fullPauseMs = 2;
let lastFull = Number.NEGATIVE_INFINITY;

let lastThorough = Number.NEGATIVE_INFINITY;

const debuggerPort = new DebuggerPort(report);
/** Messages that wait for a debugger. */
let held: ToHost[] | undefined;

function receive(message: ToHost): void {
  if (message.type === 'debug') void debug(message);
  else if (held) held.push(message);
  else endpoint.receive(message);
}

async function debug({ port, waits }: Extract<ToHost, { type: 'debug' }>): Promise<void> {
  if (waits) held = [];
  await debuggerPort.use(port);
  if (!waits) return;
  const messages = held ?? [];
  held = undefined;
  debuggerPort.stop();
  for (const message of messages) endpoint.receive(message);
}

function sendToFront(message: FromHost): void {
  channel.send(message as unknown as ChannelMessage);
  // The code that runs next may block.
  if (message.type === 'hook' || message.type === 'loading') channel.flush();
}

/**
 * Accepts changes of built-ins that a module made while it loaded, such as polyfills, and hides the additions from
 * `for…in`. Undoes changes that break this process. Returns the first change that is kept.
 */
function acceptChanges(): string | undefined {
  const isRepaired = repairEnv();
  if (isRepaired === true)
    report('A module of the extension broke process.env while it loaded. It was put back.');
  if (isRepaired === false) sendBroken('has a process.env that a module broke for good');
  const { removed, left } = builtIns.removePollution(isRead);
  if (removed.length > 0)
    report(
      `A module of the extension added ${removed[0]} while it loaded, which breaks other code. It was removed.`,
    );
  const changed = left.length > 0 ? `${left[0]} was added` : builtIns.difference(true)[0];
  if (!isExtensible(globalThis)) {
    sendBroken('has global variables that a module froze');
  } else if (changed === undefined || (left.length === 0 && areSound())) {
    if (changed !== undefined) builtIns.hideAdditions();
    // The module may have loaded Node modules.
    if (changed !== undefined || hasNewModules()) builtIns = captureBuiltIns();
    surroundings = captureSurroundings();
    tameCrashListeners();
    return changed;
  } else {
    builtIns.heal();
    syncBuiltinESMExports();
    if (left.length === 0 && areSound()) {
      report(`A module of the extension broke a built-in while it loaded: ${changed}. It was put back.`);
    } else {
      sendBroken(`has a built-in that a module broke for good: ${changed}`);
    }
  }
  tameCrashListeners();
  return undefined;
}

/** Reports harm that only a new host can undo. Completes "The extension host". */
function sendBroken(change: string): void {
  sendToFront({ type: 'broken', change });
  channel.flush();
}

function isRead(name: string): boolean {
  return readsName(ownFolder, name);
}

function areSound(): boolean {
  return areBuiltInsSound() && !builtIns.hasLostGlobals();
}

/** Undoes changes that code made while it ran, except additions to built-ins that this extension makes in every host. */
function inspect(isUsual: (change: string) => boolean, isEnd: boolean): Tampering | undefined {
  // A debugger adds names for its console.
  if (debuggerPort.isUsed) return undefined;
  const time = apply(now, clock, []) as number;
  const isThorough = time - lastThorough >= thoroughPauseMs;
  const changes = builtIns.difference(isThorough);
  const isDue = isEnd && time - lastFull >= fullPauseMs;
  const moved = isThorough || isDue ? surroundings.difference() : surroundings.quickDifference();
  if (isThorough || isDue) lastFull = time;
  if (isThorough) {
    lastThorough = time;
  }
  if (changes.length === 0 && (builtIns.isOutdated || (isThorough && hasNewModules())))
    builtIns = captureBuiltIns();
  if (changes.length === 0 && moved === undefined) {
    tameCrashListeners();
    return undefined;
  }
  // No array method: it may have been replaced.
  let isKnown = moved === undefined || isUsual(moved);
  for (let index = 0; index < changes.length; index += 1) isKnown &&= isUsual(changes[index]!);
  const isAddition = moved === undefined && builtIns.hasOnlyAdditions();
  let left: string | undefined;
  if (isKnown && builtIns.hasOnlyAdditions() && areBuiltInsSound()) {
    builtIns.hideAdditions();
    builtIns = captureBuiltIns();
  } else if (changes.length > 0) {
    left = builtIns.heal()[0];
    syncBuiltinESMExports();
  }
  if (moved !== undefined) left ??= surroundings.heal();
  // Needs intact built-ins.
  tameCrashListeners();
  const all = moved === undefined ? [] : [moved];
  for (let index = 0; index < changes.length; index += 1) pushItem(all, changes[index]!);
  return { changes: all, isUsual: isKnown && left === undefined, isAddition };
}

/** Gives child processes time to end, and flushes printed text. */
async function leave(): Promise<void> {
  await killTree({ spawned: guard.spawned, graceMs: 300 });
  await flushOutput(stderr);
  guard.exit(0);
}

onImported(() => {
  const changed = acceptChanges();
  return changed === undefined && moduleHooks.isChecked ? undefined : checkImports(changed);
});

/** Checks that other modules still load. Repairs nothing: imports that began before a repair would never end. */
async function checkImports(changed: string | undefined): Promise<void> {
  const hasNewHooks = !moduleHooks.isChecked;
  const fault = await moduleHooks.check();
  if (fault === undefined) return;
  const cause =
    changed === undefined || hasNewHooks
      ? 'has module hooks, and imports'
      : `has a changed built-in (${changed}), and imports`;
  sendBroken(`${cause} ${fault}`);
}
