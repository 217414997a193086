import { shellWord } from '../../../engine/base/shell-word.js';
import { httpStep, type NewExtension } from '../../../engine/create/scaffold.js';
import type { Wrapper } from '../../../engine/wrapping/create-wrapper.js';
import { type ColorOption, styleFor } from '../../shared/text/style.js';

interface ScaffoldView extends Omit<NewExtension, 'call'> {
  /** Folder as given on the command line. */
  readonly folder: string;
  readonly typescript: boolean;
  readonly call: NewExtension['call'] | undefined;
}

/** Files that `create` wrote, and the next steps. */
export function renderScaffold(
  { name, folder, files, typescript, call, needsInstall, hasApp, isHttp }: ScaffoldView,
  options: ColorOption,
): string {
  const steps = [
    ...(folder === '.' ? [] : [`cd ${shellWord(folder)}`]),
    ...(needsInstall ? ['npm install'] : []),
    ...(typescript ? ['npm run build'] : []),
    'npx agenttools validate',
    'npx agenttools test --update',
    ...(call ? [`npx agenttools call . ${call[0]} '${call[1]}'`] : []),
    'npx agenttools dev',
    ...(hasApp ? ['npx agenttools preview .'] : []),
    ...(isHttp ? [httpStep] : []),
    // Clients store the path of the program, and the npx cache is temporary.
    'npm install --global agenttools',
    'agenttools install claude-desktop .',
  ];
  return renderCreated({ name, folder, files }, steps, options);
}

interface WrapperView extends Wrapper {
  /** Folder as given on the command line. */
  readonly folder: string;
}

/** Files that `create --from` wrote, and the next steps. */
export function renderWrapper(
  { name, folder, files, variables, servers, hasDependencies }: WrapperView,
  options: ColorOption,
): string {
  const [first] = servers;
  const server = servers.length > 1 ? `./${first}` : '.';
  const steps = [
    ...(folder === '.' ? [] : [`cd ${shellWord(folder)}`]),
    ...variables.map((variable) => `export ${variable}=…`),
    ...(hasDependencies ? ['npm install'] : []),
    'npx agenttools validate --boot',
    'npm install --global agenttools',
    `agenttools install claude-desktop ${server}`,
  ];
  return renderCreated({ name, folder, files }, steps, options);
}

/** JSON output of `create --from`. Notes go to stderr instead. */
export function withoutNotes({ notes: _, hasDependencies: __, ...made }: Wrapper): object {
  return made;
}

function renderCreated(
  {
    name,
    folder,
    files,
  }: { readonly name: string; readonly folder: string; readonly files: readonly string[] },
  steps: readonly string[],
  options: ColorOption,
): string {
  const style = styleFor(options);
  return [
    `Created ${style.bold(name)} in ${folder}:`,
    ...files.map((file) => `  ${file}`),
    '',
    'Next:',
    ...steps.map((step) => `  ${style.cyan(step)}`),
    '',
  ].join('\n');
}
