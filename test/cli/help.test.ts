import { describe, expect, it } from 'vitest';
import { listTopics } from '../../src/cli/shared/docs-pages.js';
import { renderMarkdown } from '../../src/cli/shared/text/markdown.js';
import { runCli } from '../support/run-cli.js';

describe('help', () => {
  it('lists the commands and the topics', async () => {
    const { code, stdout } = await runCli(['help']);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: agenttools');
    expect(stdout).toMatch(/^ {2}existing-servers +\S/m);
  });

  it('shows every page', async () => {
    const topics = await listTopics();
    expect(topics.length).toBeGreaterThan(60);
    for (const { name, title } of topics) {
      const { code, stdout } = await runCli(['help', name]);
      expect({ name, code }).toEqual({ name, code: 0 });
      expect(stdout.replaceAll('`', '')).toMatch(/^# /);
      expect(title).not.toBe('');
      expect(stdout).not.toMatch(/^```/m);
    }
  });

  it.each([
    ['ls', '# `agenttools list-servers`'],
    ['sync', '# `agenttools sync`'],
    ['sync-guide', '# Keep the same servers in several client apps'],
    ['missing-definition', 'missing-definition'],
  ])('finds the page of an alias, a guide and a diagnostic code: %s', async (topic, text) => {
    expect((await runCli(['help', topic])).stdout).toContain(text);
  });

  it.each([
    ['instal', 'Did you mean "install"?'],
    ['xyzzy', 'List the topics with: agenttools help'],
    ['../README', 'There is no page'],
  ])('exits 1 for %s', async (topic, message) => {
    const { code, stdout, stderr } = await runCli(['help', topic]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe('a page in a terminal', () => {
  const page = `# Title
Some text with a [link](other.md), a [site](https://example.com) and \`code\` that goes on and on.

- first item of a list that is longer than a narrow line
- second

| option | meaning |
| --- | --- |
| \`--json\` | Prints a result that is long enough for two lines. |
| \`--a-very-long-option-name <value>\` | Short. |

\`\`\`sh
agenttools call . greet name=Ada --with-more-words-than-fit
\`\`\`
<!-- hidden -->
`;

  it('wraps text, aligns tables, and leaves code as it is', () => {
    expect(renderMarkdown(page, { color: false, width: 40 })).toBe(`# Title

Some text with a link, a site
(https://example.com) and \`code\` that
goes on and on.

- first item of a list that is longer
  than a narrow line
- second

option    meaning
\`--json\`  Prints a result that is long
          enough for two lines.
\`--a-very-long-option-name <value>\`
          Short.

  agenttools call . greet name=Ada --with-more-words-than-fit
`);
  });

  it.each([20, 60, 200])('fits into %d columns', (width) => {
    const lines = renderMarkdown(page.replace(/^```.*^```$/ms, '').replace(/^.*a-very.*$/m, ''), {
      color: false,
      width,
    }).split('\n');
    expect(lines.filter((line) => line.length > Math.min(width, 100) && /\s\S+\s/.test(line.trim()))).toEqual(
      [],
    );
  });

  it('uses colours only if asked', () => {
    expect(renderMarkdown(page, { color: true, width: 80 })).toContain('\u001b[1m# Title\u001b[22m');
    expect(renderMarkdown(page, { color: false, width: 80 })).not.toContain('\u001b');
  });
});
