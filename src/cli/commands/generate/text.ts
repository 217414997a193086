import { shellWord } from '../../../engine/base/shell-word.js';
import type { GeneratedItem } from '../../../engine/create/generate.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

interface GeneratedView extends GeneratedItem {
  /** Folder as given on the command line. */
  readonly folder: string;
}

/** Files that `generate` wrote, and the next steps. */
export function renderGenerated(
  { kind, name, language, files, manifest, folder, replaces }: GeneratedView,
  options: ColorOption,
): string {
  const style = styleFor(options);
  const place = folder === '.' ? '' : ` ${shellWord(folder)}`;
  const steps = [
    ...(language === 'typescript' && kind !== 'app' ? ['npm run build'] : []),
    `npx agenttools validate${place}`,
    `npx agenttools test${place} --update`,
  ];
  return [
    `Added the ${kind} ${style.bold(name)}:`,
    ...files.map((file) => `  ${file}`),
    `  ${manifest} declares it`,
    ...(kind === 'app' ? ['', `Bind the app to a tool: "ui": "${name}" in the definition of the tool.`] : []),
    ...(replaces === undefined
      ? []
      : [
          '',
          `Until now the package was served as "${replaces}". Installed clients lose that name; to keep it: agenttools generate server ${replaces}`,
        ]),
    '',
    'Next:',
    ...steps.map((step) => `  ${style.cyan(step)}`),
    '',
  ].join('\n');
}
