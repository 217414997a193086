import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { TerminalLines } from '../../../src/cli/shared/terminal-lines.js';

const shown = { isHidden: false };
const hidden = { isHidden: true };

/** A terminal, and the text that it shows. */
function openTerminal() {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const lines = new TerminalLines({ stdin, stderr });
  const text = () => String(stderr.read() ?? '');
  return { stdin, lines, text };
}

describe('lines of a terminal', () => {
  it('shows the answers of plain questions, and hides the others', async () => {
    const { stdin, lines, text } = openTerminal();
    const region = lines.ask('Region: ', shown);
    stdin.write('europe\r');
    expect(await region).toBe('europe');
    const token = lines.ask('Token: ', hidden);
    stdin.write('s3cret\r');
    expect(await token).toBe('s3cret');
    const told = text();
    expect(told).toContain('Region: ');
    expect(told).toContain('Token: \n');
    expect(told).not.toContain('s3cret');
    lines.close();
  });

  it('keeps early lines for the next questions, and hides them', async () => {
    const { stdin, lines, text } = openTerminal();
    stdin.write('one\rs3cret\rthree\r');
    expect(await lines.ask('First: ', shown)).toBe('one');
    expect(await lines.ask('Second: ', hidden)).toBe('s3cret');
    expect(await lines.ask('Third: ', shown)).toBe('three');
    expect(text()).not.toContain('s3cret');
    lines.close();
  });

  it('returns nothing at Ctrl-D and at the end of the input', async () => {
    const { stdin, lines } = openTerminal();
    const answer = lines.ask('First: ', shown);
    stdin.write('\u0004');
    expect(await answer).toBeUndefined();
    expect(await lines.ask('Second: ', hidden)).toBeUndefined();
    const other = openTerminal();
    other.stdin.end('last\r');
    expect(await other.lines.ask('First: ', shown)).toBe('last');
    expect(await other.lines.ask('Second: ', shown)).toBeUndefined();
  });

  it('throws at Ctrl-C', async () => {
    const { stdin, lines } = openTerminal();
    const answer = lines.ask('First: ', hidden);
    stdin.write('s3\u0003');
    await expect(answer).rejects.toMatchObject({ code: 'interrupted' });
  });
});
