import type { Scaffold } from '../../../engine/create/scaffold.js';
import { shellWord } from '../../shared/text/shell-word.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

interface ScaffoldView extends Scaffold {
  /** Folder as given on the command line. */
  readonly folder: string;
  readonly typescript: boolean;
  readonly app: boolean;
}

/** Files that `create` wrote, and the next steps. */
export function renderScaffold(
  { name, folder, files, typescript, app }: ScaffoldView,
  options: ColorOption,
): string {
  const style = styleFor(options);
  const steps = [
    ...(folder === '.' ? [] : [`cd ${shellWord(folder)}`]),
    ...(typescript ? ['npm install', 'npm run build'] : []),
    'npx agenttools validate',
    `npx agenttools call . greet '{"name":"Ada"}'`,
    ...(app ? ['npx agenttools preview .'] : []),
    // Clients store the path of the program, and the npx cache is temporary.
    'npm install --global agenttools',
    'agenttools install claude-desktop .',
  ];
  return [
    `Created ${style.bold(name)} in ${folder}:`,
    ...files.map((file) => `  ${file}`),
    '',
    'Next:',
    ...steps.map((step) => `  ${style.cyan(step)}`),
    '',
  ].join('\n');
}
