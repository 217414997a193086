// The process that loads modules of an extension. Their effects stay in this process.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';
import type { Position } from '../base/files/document-path.js';
import { endTree } from '../base/process-tree.js';
import { errorMessage, errorStack } from '../base/thrown-value.js';
import { describeValue } from '../extension/described-value.js';
import { readDefaultExport, readExport } from '../extension/import-module.js';
import { whileLoading } from '../extension/module-loading.js';
import { supplyAgentTools } from '../extension/supply-agenttools.js';
import { watchModuleHooks } from '../process/module-hooks.js';
import { describeContextUse, findContextMembers } from './context-members.js';
import {
  type InspectionReply,
  type InspectionRequest,
  inspectionMark,
  type LoadedModule,
  type ModuleFailure,
} from './inspection.js';
import { parseModule } from './module-syntax.js';

/** Process id of the parent. Passed as an argument, since the parent may have ended before it can be read. */
const parent = Number(process.argv[2]);
const treeMark = { name: inspectionMark, value: process.env[inspectionMark] ?? '' };
const sendToParent = process.send?.bind(process);

/**
 * Kills this process and everything that it started if the parent has ended. Imports this module only then,
 * so that the thread starts fast.
 */
const watchSource = `
  const isParentGone = () => {
    if (process.platform !== 'win32') return process.ppid !== ${parent};
    try {
      process.kill(${parent}, 0);
      return false;
    } catch {
      return true;
    }
  };
  setInterval(() => isParentGone() && import(${JSON.stringify(import.meta.url)}), 500);
`;

const moduleHooks = watchModuleHooks();

if (isMainThread) serve();
else endTree(process.pid, treeMark);

function serve(): void {
  // Work that a module left running may fail later, which must not affect the next modules.
  process.on('uncaughtException', () => {});
  process.on('unhandledRejection', () => {});
  process.on('disconnect', () => endTree(process.pid, treeMark));
  process.on('message', (request: InspectionRequest) => {
    void answerInspection(request).then((reply) => sendToParent?.(reply));
  });
  // The disconnect event is not delivered while a module blocks this thread.
  const watch = new Worker(watchSource, { eval: true });
  watch.on('error', () => {}).unref();
  sendToParent?.({ id: 'ready', result: undefined });
}

async function answerInspection(request: InspectionRequest): Promise<InspectionReply> {
  const { id } = request;
  try {
    return { id, result: await tasks[request.task](request.file) };
  } catch (error) {
    return { id, failure: toModuleFailure(error, request.file) };
  }
}

const tasks = {
  parse: async (file: string) => parseModule(await readFile(file, 'utf8'), file),
  load: async (file: string): Promise<LoadedModule> => {
    supplyAgentTools(file);
    const module = (await whileLoading(() => import(pathToFileURL(file).href))) as Record<string, unknown>;
    await checkModuleHooks();
    const names = [...new Set(['default', ...Object.keys(module), ...propertyNames(module.default)])];
    const whole = await readDefaultExport(module, file);
    const held = names.map((name) => [name, readMember(module, name)] as const);
    const members = held.map(([name, value]) => [name, findContextMembers(value)] as const);
    return {
      value: 'live' in whole ? await describeValue(whole.live, file, describeContextUse) : whole,
      types: Object.fromEntries(held.map(([name, value]) => [name, value === null ? 'null' : typeof value])),
      contextMembers: Object.fromEntries(members.filter(([, found]) => found.length > 0)),
    };
  },
};

/** Fails if the module registered hooks with which no other module loads. */
async function checkModuleHooks(): Promise<void> {
  const fault = moduleHooks.isChecked ? undefined : await moduleHooks.check();
  if (fault !== undefined) throw new Error(`it registers module hooks with which imports ${fault}`);
}

/** Further exports are ignored. */
const maxNames = 10_000;

function propertyNames(value: unknown): string[] {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return [];
  try {
    return Object.keys(value).slice(0, maxNames);
  } catch {
    return [];
  }
}

function readMember(module: Record<string, unknown>, name: string): unknown {
  try {
    return readExport(module, name);
  } catch {
    return undefined;
  }
}

function toModuleFailure(error: unknown, file: string): ModuleFailure {
  const position = positionIn(error, file);
  return { reason: errorMessage(error).slice(0, 2000), ...(position && { position }) };
}

/** The position in the module where an error was thrown, by its stack. */
function positionIn(error: unknown, file: string): Position | undefined {
  const stack = errorStack(error);
  for (const [, place, line, column] of stack.matchAll(
    /^\s+at .*?\(?((?:file:\/\/|\/|[A-Za-z]:\\).*?):(\d+):(\d+)\)?$/gm,
  )) {
    if (toFilePath(place!) === file) return { line: Number(line), column: Number(column) };
  }
  return undefined;
}

function toFilePath(place: string): string | undefined {
  try {
    return place.startsWith('file:') ? fileURLToPath(place) : place;
  } catch {
    return undefined;
  }
}
