import { PassThrough } from 'node:stream';
import { expect } from 'vitest';
import { main } from '../../src/cli/main.js';
import { fakeHost, type Run } from './run-cli.js';

/** Keys that the user presses at each question. */
export type Keys = readonly (readonly [question: string, ...keys: readonly string[]])[];

export const down = '\u001b[B';

/** Columns of the terminal. Paths of temporary folders do not wrap. */
const columns = 400;

/** Runs a command at a terminal, in this process. The user presses the keys at each question. */
export async function runAtTerminal(
  words: readonly string[],
  keys: Keys,
  {
    home,
    cwd,
    env = {},
    width = 100,
  }: {
    readonly home: string;
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    /** Default: 100 columns. */
    readonly width?: number;
  },
): Promise<Omit<Run, 'cwd'>> {
  const { host, stdout, stderr } = fakeHost({ cwd, home, env: { PATH: process.env.PATH ?? '', ...env } });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  Object.assign(stderr, { columns: width, rows: width });
  const done = main(words, { ...host, stdin });
  let seen = 0;
  for (const [question, ...pressed] of keys) {
    await expect.poll(() => stderr.text.indexOf(question, seen), { timeout: 15_000 }).toBeGreaterThan(-1);
    seen = stderr.text.indexOf(question, seen) + question.length;
    for (const key of pressed) stdin.write(key);
  }
  return { code: await done, stdout: stdout.text, stderr: stderr.text };
}

/** Runs a command at a terminal, and returns the lines that it shows in the end. */
export async function captureAtTerminal(
  words: readonly string[],
  keys: Keys,
  place: { readonly home: string; readonly cwd: string },
): Promise<string> {
  const { stdout, stderr } = await runAtTerminal(words, keys, { ...place, width: columns });
  return screenOf(stderr + stdout);
}

const esc = String.fromCharCode(27);

/** A control sequence, the end of a line, or text. */
const sequence = new RegExp(`${esc}\\[\\??([\\d;]*)([A-Za-z])|\\r|\\n|[^${esc}\\r\\n]+`, 'g');

/** The text on a screen after a program has written to it: moves of the cursor are done, colours are left out. */
function screenOf(written: string): string {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  const put = (text: string) => {
    while (lines.length <= row) lines.push('');
    const line = lines[row]!.padEnd(column);
    lines[row] = line.slice(0, column) + text + line.slice(column + text.length);
    column += text.length;
  };
  for (const [part, count = '1', code] of written.matchAll(sequence)) {
    const number = Number(count.split(';')[0] || 1);
    if (code === 'A') row = Math.max(0, row - number);
    else if (code === 'B') row += number;
    else if (code === 'C') column += number;
    else if (code === 'D') column = Math.max(0, column - number);
    else if (code === 'G') column = number - 1;
    else if (code === 'K') lines[row] = (lines[row] ?? '').slice(0, column);
    else if (code === 'J') {
      lines.length = Math.min(lines.length, row + 1);
      lines[row] = (lines[row] ?? '').slice(0, column);
    } else if (part === '\r') column = 0;
    else if (part === '\n') [row, column] = [row + 1, 0];
    else if (code === undefined) put(part);
  }
  return `${lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()}\n`;
}
