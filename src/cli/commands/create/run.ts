import path from 'node:path';
import { packageVersion } from '../../../engine/base/folders.js';
import type { SourceLanguage } from '../../../engine/create/item-files.js';
import { choosePackageName } from '../../../engine/create/package-name.js';
import { createExtension } from '../../../engine/create/scaffold.js';
import type { TemplateName } from '../../../engine/create/templates.js';
import { findTypeScript } from '../../../engine/create/typescript-near.js';
import type { Host } from '../../../host.js';
import { isInteractive } from '../../shared/ask-question.js';
import { ExitCode } from '../../shared/exit-code.js';
import { renderJson } from '../../shared/text/json.js';
import { renderScaffold } from './text.js';

export interface CreateInput {
  readonly folder: string;
  /** Default: the answer of the user at a terminal; elsewhere TypeScript if a tsconfig.json is near. */
  readonly language: SourceLanguage | undefined;
  /** Default: the answer of the user at a terminal; elsewhere `tool`. */
  readonly template: TemplateName | undefined;
  /** Name of the npm package. Default: derived from the folder. */
  readonly name: string | undefined;
  readonly json: boolean;
}

/** Writes an extension and prints the next steps. Asks for the choices that the command line leaves open. */
export async function createCommand(
  { folder, language, template, name, json }: CreateInput,
  host: Host,
): Promise<ExitCode> {
  const directory = path.resolve(host.cwd, folder);
  const version = packageVersion();
  // Faults of the name come before the questions.
  const packageName = choosePackageName(directory, name);
  const usual = findTypeScript(directory) ? 'typescript' : 'javascript';
  const chosen = await choose({ language, template, usual, json }, host);
  const typescript = chosen.language === 'typescript';
  const made = await createExtension({
    directory,
    name: packageName,
    typescript,
    template: chosen.template,
    version,
  });
  const { files, call, needsInstall, hasApp, isHttp } = made;
  host.stdout.write(
    json
      ? renderJson({ directory, name: packageName, files })
      : renderScaffold(
          { name: packageName, directory, files, folder, typescript, call, needsInstall, hasApp, isHttp },
          host,
        ),
  );
  return ExitCode.Ok;
}

interface OpenChoices extends Pick<CreateInput, 'language' | 'template' | 'json'> {
  readonly usual: SourceLanguage;
}

interface CreateChoices {
  readonly language: SourceLanguage;
  readonly template: TemplateName;
}

/** @throws AgentToolsError `interrupted` at Ctrl-C */
async function choose({ language, template, usual, json }: OpenChoices, host: Host): Promise<CreateChoices> {
  const isOpen = template === undefined && language === undefined;
  if (!isOpen || json || !isInteractive(host)) {
    return { language: language ?? usual, template: template ?? 'tool' };
  }
  const { pickExtension } = await import('./pick-extension.js');
  return await pickExtension(usual, host);
}
