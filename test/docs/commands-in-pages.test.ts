import { describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { pages } from './support/pages.js';

/** Pages that lead by commands, which no other test runs as a whole. */
const names = ['troubleshooting', 'publishing', 'porting', 'sync'];

/** The commands of a page, in blocks and in the text. */
function commandsOf(page: string): readonly (readonly string[])[] {
  const text = pages[page] ?? '';
  const found = text.match(/(?<=`|^|npx )agenttools [a-z][^`\n]*/gm) ?? [];
  return found.map((line) => line.split(/\s+/).slice(1));
}

describe.each(names)('%s', (page) => {
  test('has commands and options that exist', async () => {
    const commands = commandsOf(page);
    expect(commands.length).toBeGreaterThan(1);
    for (const [name = '', ...words] of commands) {
      const { code, stdout } = await runCli([name, '--help']);
      expect({ name, code }).toEqual({ name, code: 0 });
      const end = words.indexOf('--');
      const options = words.slice(0, end === -1 ? undefined : end).filter((word) => word.startsWith('--'));
      const known = stdout.match(/--[a-z-]+/g);
      for (const option of options) expect(known, name).toContain(option);
    }
  });
});
