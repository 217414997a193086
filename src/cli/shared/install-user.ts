import { visibleText } from '../../engine/base/visible-text.js';
import type { ServerInput } from '../../engine/existing-servers/existing-server.js';
import type { InputForm, InstallUser } from '../../engine/installation/ask-inputs.js';
import type { Host } from '../../host.js';
import { isInteractive } from './ask-question.js';
import { TerminalLines } from './terminal-lines.js';

/** The user at the terminal; undefined if stdin is not a terminal. Questions go to stderr. */
export function createInstallUser(host: Host, tell: (text: string) => void): InstallUser | undefined {
  if (!isInteractive(host)) return undefined;
  return {
    async fillIn(form) {
      tell('');
      const count = form.inputs.length === 1 ? 'an input' : `${form.inputs.length} inputs`;
      host.stderr.write(visibleText(`${form.server} needs ${count}:\n`));
      const lines = new TerminalLines(host);
      try {
        return await askAll(form, lines, host);
      } finally {
        lines.close();
      }
    },
    async confirm(question, { preset } = { preset: false }) {
      tell('');
      const lines = new TerminalLines(host);
      try {
        const hint = preset ? '[Y/n]' : '[y/N]';
        const line = await lines.ask(visibleText(`${question} ${hint} `), { isHidden: false });
        return line === '' ? preset : /^y(?:es)?$/i.test(line ?? '');
      } finally {
        lines.close();
      }
    },
  };
}

/** Ends at Ctrl-D. */
async function askAll(
  { inputs, findFault }: InputForm,
  lines: TerminalLines,
  { stderr }: Host,
): Promise<Readonly<Record<string, string | readonly string[]>>> {
  const answers = new Map<string, string | readonly string[]>();
  for (const input of inputs) {
    const given: string[] = [];
    let label = formatInputLabel(input);
    for (;;) {
      const line = await lines.ask(label, { isHidden: input.isSecret });
      if (line === undefined) return Object.fromEntries(answers);
      const text = readAnswer(input, line);
      const isSkipped = text === '' && (given.length > 0 || input.default !== undefined);
      if (isSkipped) break;
      const fault = text === '' ? 'A value is required.' : findFault(input, text);
      if (fault !== undefined) {
        stderr.write(visibleText(`    ${fault}\n`));
        continue;
      }
      given.push(text);
      if (!input.isRepeated) break;
      label = '    another one: ';
    }
    if (given.length > 0) answers.set(input.id, input.isRepeated ? given : given[0]!);
  }
  return Object.fromEntries(answers);
}

/** Matches choices by any case, and accepts yes and no. */
function readAnswer({ choices, format }: ServerInput, line: string): string {
  if (format === 'boolean' && /^(?:y|yes)$/i.test(line)) return 'true';
  if (format === 'boolean' && /^(?:n|no)$/i.test(line)) return 'false';
  return choices?.find((choice) => choice.toLowerCase() === line.toLowerCase()) ?? line;
}

/** `name, description (one, other) [default]: ` */
function formatInputLabel(input: ServerInput): string {
  const { name, title, description, choices, format, isSecret, isRepeated, placeholder } = input;
  const told = [name, description || title].filter(Boolean).join(', ');
  const values = format === 'boolean' ? ['yes', 'no'] : (choices ?? []);
  const hints = [
    ...(values.length > 0 ? [values.join(', ')] : []),
    ...(placeholder !== undefined && values.length === 0 ? [`such as ${placeholder}`] : []),
    ...(isSecret ? ['hidden'] : []),
    ...(isRepeated ? ['one per line, end with an empty line'] : []),
  ];
  const hint = hints.length === 0 ? '' : ` (${hints.join('; ')})`;
  const preset = input.default === undefined || isSecret ? '' : ` [${[input.default].flat().join(', ')}]`;
  return visibleText(`  ${told}${hint}${preset}: `);
}
