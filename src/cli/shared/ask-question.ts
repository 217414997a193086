import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { setImmediate } from 'node:timers/promises';
import { AgentToolsError } from '../../engine/base/errors.js';
import type { Host } from '../../host.js';

type Terminal = Pick<Host, 'stdin' | 'stderr'>;

/**
 * Asks which of several servers to use, if stdin is a terminal. The answer is a number or any name, listed or not.
 * @throws AgentToolsError `usage` with the list, if there is no answer or a number is not in the list;
 *   `interrupted` at Ctrl-C.
 */
export async function askServer(names: readonly string[], host: Terminal): Promise<string> {
  const list = names.map((name, index) => `  ${index + 1}. ${name}`).join('\n');
  const isThere = isInteractive(host);
  const question = `Which server?\n${list}\nNumber or name: `;
  const answer = (isThere ? await askLine(question, host) : undefined) ?? '';
  if (/^\d+$/.test(answer) && !names.includes(answer)) {
    const chosen = names[Number(answer) - 1];
    if (chosen !== undefined) return chosen;
    throw new AgentToolsError('usage', `There is no number ${answer} in the list:\n${list}`);
  }
  if (answer !== '') return answer;
  if (isThere) host.stderr.write('\n');
  const search = 'Search published ones with: agenttools list-servers --remote <words>';
  throw new AgentToolsError(
    'usage',
    `Which server? Name a path, a qualified name, or one of:\n${list}\n${search}`,
  );
}

/**
 * Asks a yes/no question; undefined if stdin is not a terminal. Any answer except y or yes is a no.
 * @throws AgentToolsError `interrupted` at Ctrl-C
 */
export async function askYesNo(question: string, host: Terminal): Promise<boolean | undefined> {
  return isInteractive(host) ? isYes((await askLine(`${question} [y/N] `, host)) ?? '') : undefined;
}

function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer);
}

/** True if stdin is a terminal. */
export function isInteractive({ stdin }: Pick<Terminal, 'stdin'>): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true;
}

/**
 * Reads one line from the terminal; undefined if the input ends, as at Ctrl-D, or the signal aborts.
 * @throws AgentToolsError `interrupted` at Ctrl-C
 */
export async function askLine(
  question: string,
  { stdin, stderr }: Terminal,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (signal?.aborted) return undefined;
  const terminal = createInterface({ input: stdin, output: stderr, ...(signal && { signal }) });
  // The answer can arrive in the same chunk as the end of input.
  const end = once(terminal, 'close').then(() => setImmediate(undefined));
  let isInterrupted = false;
  terminal.once('SIGINT', () => {
    isInterrupted = true;
    terminal.close();
  });
  const answer = terminal.question(question).catch((error: Error) => {
    if (error.name === 'AbortError') return undefined;
    throw error;
  });
  try {
    const text = await Promise.race([answer, end]);
    if (isInterrupted) throw new AgentToolsError('interrupted', 'Interrupted.');
    return text?.trim();
  } finally {
    terminal.close();
  }
}
