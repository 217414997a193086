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

/** What calls of one server share. */
export interface ServerRuntime {
  /** May be another one from call to call, once packages come that were not there. */
  readonly server: Servable;
  readonly initializers: Initializers;
  /** Absent: tools of upstream servers cannot be called. */
  readonly upstreams?: UpstreamCaller | undefined;
  /** Absent: every tool is known. */
  readonly arrivals?: Arrivals | undefined;
  /** Where required environment variables and programs are looked for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes one line for stderr. */
  readonly report: (line: string) => void;
}

/** Makes a handler's context for one call; `tool` is absent in prompts and resources. */
export type MakeContext = (limit: CallDeadline, tool?: ToolSpec) => Context;

/** Whether unexpected exceptions are shown to the model: the server says so, or `AGENTTOOLS_EXPOSE_ERRORS=1` does. */
export function exposesErrors({ server, env }: Pick<ServerRuntime, 'server' | 'env'>): boolean {
  return server.exposeErrors || env.AGENTTOOLS_EXPOSE_ERRORS === '1';
}

const reportedLines = new WeakMap<ServerRuntime['report'], Set<string>>();

/** Reports what would otherwise be said again and again, at most once per key. */
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

/** Everything about an unexpected exception, for stderr. */
export function errorDetails(thrown: unknown): string {
  const error = safelyThrown(thrown);
  if (error instanceof ModuleReferenceError && error.cause)
    return `${error.message}\n${errorDetails(error.cause)}`;
  if (error instanceof ModuleReferenceError || error instanceof LoadError) return error.message;
  if (error instanceof ResultError) return `unusable result: ${error.message}`;
  return errorStack(error);
}
