import { errorStack, safelyThrown } from '../base/thrown-value.js';
import { ModuleReferenceError } from '../extension/modules.js';
import type { Servable } from './compose-server.js';
import type { Context } from './context.js';
import type { Initializers } from './initialize.js';
import { LoadError } from './lazy-function.js';
import type { ToolSpec } from './specs.js';
import type { CallDeadline } from './time-limit.js';
import { ResultError } from './tool-result.js';
import type { Arrivals, UpstreamCaller } from './upstream.js';

/** Shared state of all calls of one server. */
export interface ServerRuntime {
  /** May differ from call to call, after missing packages are installed. */
  readonly server: Servable;
  readonly initializers: Initializers;
  /** Undefined: tools of upstream servers cannot be called. */
  readonly upstreams?: UpstreamCaller | undefined;
  /** Undefined: every tool is known. */
  readonly arrivals?: Arrivals | undefined;
  /** Environment for required variables and programs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Prints one line to stderr. */
  readonly report: (line: string) => void;
}

/** Creates a handler's context for one call; `tool` is undefined in prompts and resources. */
export type MakeContext = (limit: CallDeadline, tool?: ToolSpec) => Context;

/** True if the model may see unexpected exceptions, because of the server or `AGENTTOOLS_EXPOSE_ERRORS=1`. */
export function exposesErrors({ server, env }: Pick<ServerRuntime, 'server' | 'env'>): boolean {
  return server.exposeErrors || env.AGENTTOOLS_EXPOSE_ERRORS === '1';
}

const reportedLines = new WeakMap<ServerRuntime['report'], Set<string>>();

/** Reports a repeated line at most once per key. Default for the key: the line. */
export function reportOnce(
  { report }: Pick<ServerRuntime, 'report'>,
  line: string,
  key: string = line,
): void {
  const keys = reportedLines.get(report) ?? new Set();
  reportedLines.set(report, keys);
  if (keys.has(key)) return;
  keys.add(key);
  report(line);
}

/** All details of an unexpected exception, for stderr. */
export function errorDetails(thrown: unknown): string {
  const error = safelyThrown(thrown);
  if (error instanceof ModuleReferenceError && error.cause)
    return `${error.message}\n${errorDetails(error.cause)}`;
  if (error instanceof ModuleReferenceError || error instanceof LoadError) return error.message;
  if (error instanceof ResultError) return `unusable result: ${error.message}`;
  return errorStack(error);
}
