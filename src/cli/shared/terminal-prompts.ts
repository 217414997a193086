import { isCancel } from '@clack/prompts';
import { AgentToolsError } from '../../engine/base/errors.js';
import type { Host } from '../../host.js';
import { terminalWidth } from './terminal-width.js';

/** Streams for the questions of clack. */
export interface Terminal {
  readonly input: Host['stdin'];
  readonly output: Host['stderr'];
  readonly signal: AbortSignal;
}

export function openTerminal({ stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>): Terminal {
  const end = new AbortController();
  // At Ctrl+D the input ends, and the prompt would never settle.
  stdin.once('end', () => end.abort());
  return { input: stdin, output: withSize(stderr), signal: end.signal };
}

/** Some terminals report zero columns and rows, in which no prompt fits. */
function withSize(output: Host['stderr']): Host['stderr'] {
  const sizes: Partial<Record<string | symbol, () => number>> = {
    columns: () => terminalWidth(output),
    rows: () => ('rows' in output && Number(output.rows)) || 24,
  };
  return new Proxy(output, {
    get(target, name) {
      const value: unknown = sizes[name]?.() ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** The answer to a question. @throws AgentToolsError `interrupted` at Ctrl+C, Escape and Ctrl+D */
export async function answer<T>(asked: Promise<T>): Promise<Exclude<T, symbol>> {
  const value = await asked;
  if (isCancel(value)) throw interrupted();
  return value as Exclude<T, symbol>;
}

export function interrupted(): AgentToolsError {
  return new AgentToolsError('interrupted', 'Interrupted. Nothing was written.');
}
