import { shellWord } from '../../../engine/base/shell-word.js';
import { visibleText } from '../../../engine/base/visible-text.js';
import type { MadeServer } from '../../../engine/user-servers/create.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

/** Report of `create-server`, with the next steps. */
export function renderMadeServer(made: MadeServer, options: ColorOption): string {
  const style = styleFor(options);
  const { name, file, replaced } = made;
  const lists = (['tools', 'prompts', 'resources', 'apps', 'skills'] as const).flatMap((kind) =>
    made[kind].length === 0 ? [] : [`  ${kind.padEnd(9)}  ${made[kind].join(', ')}`],
  );
  const steps = [`agenttools show ${name}`, `agenttools install claude-desktop ${name}`];
  const lines = [
    `${replaced ? 'Replaced' : 'Created'} ${style.bold(name)} in ${shellWord(file)}:`,
    ...lists,
    '',
    ...(replaced
      ? ['Clients that have it serve the new one once they are restarted.']
      : ['Next:', ...steps.map((step) => `  ${style.cyan(step)}`)]),
  ];
  const [head, ...rest] = lines;
  return [head, ...rest.map(visibleText)].map((line) => `${line}\n`).join('');
}

/** JSON output of `create-server`. Notes go to stderr instead. */
export function withoutNotes({ notes: _, ...made }: MadeServer): object {
  return made;
}
