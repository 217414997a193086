import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline/promises';
import { setImmediate } from 'node:timers/promises';
import { AgentToolsError } from '../engine/errors.js';
import type { Host } from '../host.js';

/**
 * Asks which of several servers is meant, where somebody is there to answer; a name that is not among them will do.
 * @throws AgentToolsError `usage` with the list, where nobody is, no answer comes or a number is not in the list;
 *   `interrupted` at Ctrl-C.
 */
export async function askServer(
  names: readonly string[],
  { stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>,
): Promise<string> {
  const list = names.map((name, index) => `  ${index + 1}. ${name}`).join('\n');
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true;
  const answer = isTerminal
    ? await answerTo(
        `Which server?\n${list}\nNumber or name: `,
        createInterface({ input: stdin, output: stderr }),
      )
    : '';
  if (/^\d+$/.test(answer) && !names.includes(answer)) {
    const chosen = names[Number(answer) - 1];
    if (chosen !== undefined) return chosen;
    throw new AgentToolsError('usage', `There is no number ${answer} in the list:\n${list}`);
  }
  if (answer !== '') return answer;
  if (isTerminal) stderr.write('\n');
  throw new AgentToolsError('usage', `Which server? Name a path, a qualified name, or one of:\n${list}`);
}

/**
 * Asks for a yes, where somebody is there to answer; undefined where nobody is. Whatever else is answered is a no.
 * @throws AgentToolsError `interrupted` at Ctrl-C
 */
export async function askYesNo(
  question: string,
  { stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>,
): Promise<boolean | undefined> {
  if (!('isTTY' in stdin && stdin.isTTY === true)) return undefined;
  const answer = await answerTo(`${question} [y/N] `, createInterface({ input: stdin, output: stderr }));
  return /^y(?:es)?$/i.test(answer);
}

/**
 * One line of whoever sits at the terminal; undefined where the input ends instead, as at Ctrl-D.
 * @throws AgentToolsError `interrupted` at Ctrl-C
 */
export async function askLine(
  question: string,
  { stdin, stderr }: Pick<Host, 'stdin' | 'stderr'>,
): Promise<string | undefined> {
  return await lineFrom(question, createInterface({ input: stdin, output: stderr }));
}

/** Empty, where the input ends instead. @throws AgentToolsError `interrupted` at Ctrl-C */
async function answerTo(question: string, terminal: Interface): Promise<string> {
  return (await lineFrom(question, terminal)) ?? '';
}

async function lineFrom(question: string, terminal: Interface): Promise<string | undefined> {
  // An answer may come together with the end.
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
